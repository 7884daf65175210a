//! eventwire's images in an `<img>` of Chromium.

use crate::server::{Steps, serve, stepwise};
use eventwire_multipart::{Headers, OutgoingPart, PartEncoder, PartEnd, Piece, WholePart};
use std::{env, path::Path, process::Command};

/// Each has a different width and colour.
const IMAGES: [&[u8]; 3] =
    [include_bytes!("images/red.png"), include_bytes!("images/green.png"), include_bytes!("images/blue.png")];
const SHOWN: [(u32, [u8; 3]); 3] = [(8, [255, 0, 0]), (16, [0, 255, 0]), (24, [0, 0, 255])];

/// Chromium shows an image when it has the headers of the next part, or the end of the stream. So images that are
/// sent as complete parts are shown one part late, and here the server sends the first two at once.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium and playwright-core: tests/interop/run tests"]
async fn whole_parts_are_shown_one_late() {
    let [red, green, blue] = IMAGES.map(|image| OutgoingPart::from(WholePart::new("image/png", image).unwrap()));
    check(vec![vec![red, green], vec![blue]]).await;
}

/// If the headers of each part are sent together with the part before, each image is shown before the next one is
/// sent.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium and playwright-core: tests/interop/run tests"]
async fn with_headers_sent_in_advance_each_image_is_shown_at_once() {
    let begin = || OutgoingPart::from(Piece::PartBegin(Headers::new().with("Content-Type", "image/png").unwrap()));
    let end = || Piece::PartEnd(PartEnd::Delimiter).into();
    let mut steps: Steps = IMAGES.map(|image| vec![Piece::Data(image.into()).into(), end(), begin()]).into();
    steps[0].insert(0, begin());
    check(steps).await;
}

/// Every image must be shown before the next step.
async fn check(steps: Steps) {
    let (node, chromium) = (env::var("EVENTWIRE_NODE").unwrap(), env::var("EVENTWIRE_CHROMIUM").unwrap());
    let server = serve(stepwise(steps, PartEncoder::random(), "multipart/x-mixed-replace")).await;
    let widths = SHOWN.map(|(width, _)| width.to_string());
    // Node searches for packages in the folder of the script.
    let script = Path::new(&node).join("images.mjs");
    let profile = env::temp_dir().join(format!("profile-of-images-{}", server.port()));
    let mut command = Command::new("node");
    command.arg(script).arg(chromium).arg(profile).arg(format!("http://{server}")).args(widths);
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let shown: Vec<(u32, [u8; 3])> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(shown, SHOWN);
}
