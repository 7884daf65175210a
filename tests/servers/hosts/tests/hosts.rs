//! What poem and rocket send of eventwire's events.

use eventwire::{Event, EventBody};
use eventwire_hosts::{serve_poem, serve_rocket::Feed};
use futures_util::{Stream, stream};
use rocket::{get, local::asynchronous::Client, routes};

fn events() -> impl Stream<Item = Event> + Send + 'static {
    stream::iter(["two\r\nlines", "[DONE]"].map(Event::new))
}

const SENT: &str = "data: two\ndata: lines\n\ndata: [DONE]\n\n";

#[tokio::test]
async fn poem_takes_its_chunks() {
    let response = serve_poem::respond(events());
    assert_eq!(response.status(), 200);
    for (name, value) in EventBody::RESPONSE_HEADERS {
        assert_eq!(response.headers()[name], value);
    }
    assert_eq!(response.into_body().into_string().await.expect("a body"), SENT);
}

#[get("/")]
fn feed() -> Feed<impl Stream<Item = Event> + Send> {
    Feed(events())
}

#[tokio::test]
async fn rocket_takes_its_chunks() {
    let client = Client::untracked(rocket::build().mount("/", routes![feed])).await.expect("a server");
    let response = client.get("/").dispatch().await;
    assert_eq!(response.status().code, 200);
    for (name, value) in EventBody::RESPONSE_HEADERS {
        assert_eq!(response.headers().get(name).collect::<Vec<_>>(), [value]);
    }
    assert_eq!(response.into_string().await.expect("a body"), SENT);
}
