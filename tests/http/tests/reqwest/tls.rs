//! TLS, with which only reqwest 0.13 is built here.

use crate::texts::check;
use eventwire_test::TestServer;

/// The server answers the client's first message with a 400, because it is not HTTP.
#[tokio::test]
async fn tls_to_a_server_without_it() {
    let server = TestServer::new();
    let url = server.url().replace("http:", "https:");
    check(&url, &url, |why| why == "received corrupt message of type InvalidContentType").await;
}
