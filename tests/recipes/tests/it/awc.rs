use eventwire::EventsExt;
use eventwire_recipes::awc::follow;
use eventwire_test_support::Script;
use futures_util::StreamExt;

fn run(server: &Script) -> (Vec<String>, Result<(), String>) {
    let mut out = Vec::new();
    let result = actix_rt::System::new().block_on(follow(awc::Client::default(), &server.url, &mut out));
    let lines = String::from_utf8(out).unwrap().lines().map(str::to_owned).collect();
    (lines, result.map_err(|error| error.to_string()))
}

/// awc reads no body that ends with the connection: it has to be chunked, or announce its length.
fn stream(header: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n{header}\r\n\r\n{body}")
}

#[test]
fn from_connection_to_connection() {
    let body = "retry: 1\nid: 1\ndata: a\n\ndata: unfinished";
    let first = stream("transfer-encoding: chunked", &format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len()));
    let server = Script::new(&[&first, &stream("content-length: 100", "id: 2\ndata: b\n\n")]);
    let (lines, result) = run(&server);
    assert_eq!(result, Ok(()));
    let lines: Vec<_> = lines.iter().map(|line| line.split("; waiting").next().unwrap()).collect();
    // awc does not report that the second body is shorter than announced.
    assert_eq!(lines, ["1: a", "the stream is truncated: the connection ended early", "2: b", "the connection ended"]);
    let requests = server.requests();
    let headers: Vec<_> = requests.iter().map(|request| request.header("last-event-id")).collect();
    assert_eq!(headers, [vec![], vec!["1"], vec!["2"]]);
    assert!(requests.iter().all(|request| request.header("accept") == ["text/event-stream"]));
    // awc would ask for gzip, and its response would be refused.
    assert!(requests.iter().all(|request| request.header("accept-encoding").is_empty()));
}

#[test]
fn a_refusal_is_an_error() {
    let server = Script::new(&["HTTP/1.1 401 Unauthorized\r\ncontent-length: 4\r\n\r\nwho?"]);
    let (lines, result) = run(&server);
    assert!(lines.is_empty());
    let error = result.unwrap_err();
    assert!(error.contains("401"), "{error}");
}

#[test]
fn one_response_needs_no_connector() {
    let server = Script::new(&[&stream("content-length: 18", "data: a\n\ndata: b\n\n")]);
    let events: Vec<_> = actix_rt::System::new().block_on(async {
        let response = awc::Client::default().get(&server.url).send().await.unwrap();
        response.events().map(|event| event.unwrap().into_data()).collect().await
    });
    assert_eq!(events, ["a", "b"]);
}
