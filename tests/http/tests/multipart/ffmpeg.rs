//! ffmpeg as a sender of frames, and as a reader of eventwire's. All streams contain the same encoded frames, which
//! are only copied.

use crate::{folder::Folder, http_client, server::serve};
use axum::{Router, response::IntoResponse, routing::get};
use bytes::Bytes;
use eventwire_multipart::{
    Boundary, Collected, Headers, PartBody, PartDecoder, PartEncoder, PartEnd, Piece, Pieces, WholePart,
};
use futures_util::{TryStreamExt, stream};
use std::{
    io::{self, Write},
    process::{Child, Command, Stdio},
    time::Duration,
};
use tokio::{net::TcpListener, time::sleep};

const FRAMES: usize = 20;

/// An encoded video, and each of its frames as a file.
struct Video {
    folder: Folder,
    frames: Vec<Vec<u8>>,
}

impl Video {
    fn new(name: &str) -> Video {
        let folder = Folder::new(name);
        let source = ["-f", "lavfi", "-i", "testsrc=size=320x240:rate=10", "-frames:v", "20", "-c:v", "mjpeg"];
        finish(ffmpeg(&folder).args(source).arg("video.avi"));
        finish(ffmpeg(&folder).args(["-i", "video.avi", "-c", "copy", "-f", "image2", "%03d.jpg"]));
        let frames = folder.files("jpg");
        assert_eq!(frames.len(), FRAMES);
        Video { folder, frames }
    }

    /// Asserts that ffmpeg has read all frames unchanged.
    fn assert_copied(&self, what: &str) {
        let copied = self.folder.files("copy");
        assert_eq!(copied.len(), FRAMES, "{what}");
        assert!(copied == self.frames, "{what}: a frame differs");
    }
}

fn ffmpeg(folder: &Folder) -> Command {
    let mut command = Command::new("ffmpeg");
    command.args(["-nostdin", "-v", "error", "-y"]).current_dir(folder.path());
    command
}

fn finish(command: &mut Command) -> Vec<u8> {
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// The type and the boundary that the muxer names: `ffmpeg -h muxer=mpjpeg`.
const CONTENT_TYPE: &str = "multipart/x-mixed-replace;boundary=ffmpeg";

#[test]
#[ignore = "needs ffmpeg: tests/interop/run tests"]
fn its_frames_are_read_byte_for_byte() {
    let video = Video::new("ffmpeg-sends");
    let send = ["-i", "video.avi", "-c", "copy", "-f", "mpjpeg"];
    let sent = finish(ffmpeg(&video.folder).args(send).arg("-"));
    check(&sent, &PartDecoder::from_content_type(CONTENT_TYPE.as_bytes()).unwrap(), &video.frames);
    // A boundary like those of cameras.
    let sent = finish(ffmpeg(&video.folder).args(send).args(["-boundary_tag", "--myboundary", "-"]));
    check(&sent, &PartDecoder::new(Boundary::new("--myboundary").unwrap()), &video.frames);
}

/// In chunks of any size, each part is a frame, and is complete by its length.
#[track_caller]
fn check(sent: &[u8], decoder: &PartDecoder, frames: &[Vec<u8>]) {
    for size in [1, 7, 1460, usize::MAX] {
        let chunks = sent.chunks(size).map(|chunk| Ok::<_, io::Error>(Bytes::copy_from_slice(chunk)));
        let (mut count, mut frame) = (0, Vec::new());
        for piece in Pieces::new(chunks, decoder.clone()) {
            match piece.unwrap() {
                Piece::PartBegin(headers) => assert!(headers.media_type().unwrap().is("image/jpeg")),
                Piece::Data(data) => frame.extend_from_slice(&data),
                Piece::PartEnd(end) => {
                    assert_eq!(end, PartEnd::Length);
                    assert!(frame == frames[count], "frame {count} differs in chunks of {size}");
                    frame.clear();
                    count += 1;
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(count, FRAMES);
    }
}

/// ffmpeg's server sends the boundary if it is told to. Otherwise its content type is `application/octet-stream`.
#[tokio::test]
#[ignore = "needs ffmpeg: tests/interop/run tests"]
async fn its_server_is_read_byte_for_byte() {
    let video = Video::new("ffmpeg-serves");
    // A port that was free a moment ago.
    let address = TcpListener::bind(("127.0.0.1", 0)).await.unwrap().local_addr().unwrap();
    let url = format!("http://{address}/");
    let mut command = ffmpeg(&video.folder);
    command.args(["-i", "video.avi", "-c", "copy", "-f", "mpjpeg", "-listen", "1"]);
    command.args(["-content_type", CONTENT_TYPE]).arg(&url);
    let mut server = Server(command.stdin(Stdio::null()).spawn().unwrap());
    let response = loop {
        match http_client().get(&url).send().await {
            Ok(response) => break response,
            Err(_) => assert!(server.0.try_wait().unwrap().is_none(), "ffmpeg has exited"),
        }
        sleep(Duration::from_millis(10)).await;
    };
    let decoder = PartDecoder::from_content_type(response.headers()["content-type"].as_bytes()).unwrap();
    let parts = Collected::new(response.bytes_stream(), decoder);
    let frames: Vec<WholePart> = parts.try_collect().await.unwrap();
    assert!(frames.iter().map(|frame| &frame.body()[..]).eq(&video.frames));
    assert!(server.0.wait().unwrap().success());
}

/// Killed at the end of the test, unless it has exited.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // Killing fails if it has exited, which does not matter.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// ffmpeg reads the frames from `PartEncoder`, with lengths and without.
#[test]
#[ignore = "needs ffmpeg: tests/interop/run tests"]
fn it_reads_our_encoder() {
    let video = Video::new("ffmpeg-reads");
    let mut with_lengths = Vec::new();
    let mut encoder = encoder();
    for frame in &video.frames {
        encoder.part(&WholePart::new("image/jpeg", frame.clone()).unwrap(), &mut with_lengths).unwrap();
    }
    encoder.close(&mut with_lengths);

    let mut without = Vec::new();
    let mut encoder = self::encoder();
    let headers = Headers::new().with("Content-Type", "image/jpeg").unwrap();
    for frame in &video.frames {
        encoder.begin(headers.as_ref(), &mut without).unwrap();
        for chunk in frame.chunks(1000) {
            encoder.data(chunk, &mut without).unwrap();
        }
        encoder.end(&mut without);
    }
    encoder.close(&mut without);

    for (what, bytes) in [("with lengths", with_lengths), ("without lengths", without)] {
        let mut command = ffmpeg(&video.folder);
        // ffmpeg treats the end of a stream as a broken frame, and would print an error.
        command.args(["-v", "fatal"]);
        command.args(["-f", "mpjpeg", "-i", "pipe:", "-c", "copy", "-f", "image2", "%03d.copy"]);
        let mut reader = command.stdin(Stdio::piped()).spawn().unwrap();
        reader.stdin.take().unwrap().write_all(&bytes).unwrap();
        assert!(reader.wait().unwrap().success(), "{what}");
        video.assert_copied(what);
    }
}

/// ffmpeg reads the frames from `PartBody`. Only from a server does it learn the boundary, and it uses the boundary
/// only if it is told to.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs ffmpeg: tests/interop/run tests"]
async fn it_reads_our_server() {
    let video = Video::new("ffmpeg-asks");
    let frames = video.frames.clone();
    let handler = async move || {
        let frames = frames.into_iter().map(|frame| WholePart::new("image/jpeg", frame));
        PartBody::new(encoder(), stream::iter(frames)).response("multipart/x-mixed-replace").unwrap().into_response()
    };
    let server = serve(Router::new().route("/stream", get(handler))).await;
    for strictness in ["0", "1"] {
        let mut command = ffmpeg(&video.folder);
        command.args(["-strict_mime_boundary", strictness, "-i"]).arg(format!("http://{server}/stream"));
        finish(command.args(["-c", "copy", "-f", "image2", "%03d.copy"]));
        video.assert_copied(strictness);
    }
}

fn encoder() -> PartEncoder {
    PartEncoder::new(Boundary::new("frame").unwrap()).unwrap()
}
