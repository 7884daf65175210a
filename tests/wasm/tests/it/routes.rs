//! Every route on wasm, whose search for line ends has instructions of its own.

use crate::{
    decode_routes,
    naive::{self, Eof, Options, Scope},
};

/// Lines of every length up to more than two blocks of 64 bytes, with and without other stops than their ends.
#[test]
fn every_route_agrees_with_the_twin() {
    let mut stream = b"\xEF\xBB\xBF: begin\r\n".to_vec();
    for length in 0..150 {
        let end = ["\n\n", "\r\n\r\n", "\r\r"][length % 3];
        for fill in ["x", "\u{E9}", "\t"] {
            stream.extend(format!("id: {length}\ndata: {}{end}", fill.repeat(length)).bytes());
        }
    }
    for scope in [Scope::Events, Scope::Blocks] {
        let options = Options { scope, eof: Eof::Error, ..Options::default() };
        let expected = naive::interpret(&stream, &options);
        for size in [1, 7, 64, stream.len()] {
            decode_routes::check(&stream.chunks(size).collect::<Vec<_>>(), &options, &expected);
        }
    }
}
