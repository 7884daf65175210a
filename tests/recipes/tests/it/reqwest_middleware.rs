use crate::header;
use eventwire_recipes::reqwest_middleware::follow;
use eventwire_test::{Script, TestServer};
use http::{Extensions, HeaderValue};
use reqwest_middleware::{
    ClientBuilder, Middleware, Next,
    reqwest::{Client, Request, Response},
};
use std::sync::atomic::{AtomicU32, Ordering};

/// Adds a token, a different one each time.
struct Token(AtomicU32);

#[async_trait::async_trait]
impl Middleware for Token {
    async fn handle(
        &self,
        mut request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<Response> {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        request.headers_mut().insert("token", HeaderValue::from(number));
        next.run(request, extensions).await
    }
}

async fn run(server: &TestServer) -> (Vec<(String, u64)>, Result<(), String>) {
    let client = ClientBuilder::new(Client::new()).with(Token(AtomicU32::new(1))).build();
    let mut prices = Vec::new();
    let result = follow(client, server.url().parse().unwrap(), |price| prices.push((price.name, price.cents))).await;
    (prices, result.map_err(|error| error.to_string()))
}

#[tokio::test]
async fn each_attempt_goes_through_the_middleware() {
    let first = Script::new().send("retry: 1\nid: 1\ndata: {\"name\":\"tea\",\"cents\":250}\n\ndata: {}\n\n");
    let second = Script::new().send("id: 2\ndata: {\"name\":\"coffee\",\"cents\":320}\n\n");
    let server = TestServer::new().answers([first, second, Script::status(204)]);
    let (prices, result) = run(&server).await;
    assert_eq!(result, Ok(()));
    assert_eq!(prices, [("tea".to_owned(), 250), ("coffee".to_owned(), 320)]);
    let requests = server.requests();
    let headers: Vec<_> = requests.iter().map(|it| (header(it, "token"), header(it, "last-event-id"))).collect();
    assert_eq!(headers, [(vec!["1"], vec![]), (vec!["2"], vec!["1"]), (vec!["3"], vec!["2"])]);
    assert!(requests.iter().all(|request| header(request, "accept") == ["text/event-stream"]));
}

#[tokio::test]
async fn a_refusal_is_an_error() {
    let server = TestServer::new().answer(Script::status(401).send("who?"));
    let (prices, result) = run(&server).await;
    assert!(prices.is_empty());
    let error = result.unwrap_err();
    assert!(error.contains("401"), "{error}");
}
