//! The texts of failed attempts: they say what happened, and contain no secrets.

use crate::{
    runs::{Way, http_client, nobody, redirect, serve},
    version::{RequestBuilderExt, RequestConnector, client_builder},
};
use eventwire_client::{EventSource, Item, ReconnectPolicy, Stopped};
use eventwire_reqwest::PlatformTimer;
use eventwire_test::Script;
use reqwest::RequestBuilder;
use std::{error::Error as _, time::Duration};

/// Returns the text of the first failed attempt, and why the source stopped after the second.
async fn failed(request: RequestBuilder) -> (String, Stopped<reqwest::Error>) {
    let short = Duration::from_millis(1);
    let policy = ReconnectPolicy::new().with_max_attempts(2).with_reconnection_time(short).with_min_delay(short);
    let mut source: EventSource<RequestConnector, PlatformTimer> = request.eventsource().unwrap().with_policy(policy);
    let text = match source.next().await.unwrap() {
        Item::Reconnecting { error, .. } => error.to_string(),
        other => panic!("{other:?}"),
    };
    while source.next().await.is_some() {}
    (text, source.into_stopped())
}

/// Checks the text for this URL, and that the text of the end contains it too.
pub(crate) async fn check(url: &str, shown: &str, why: impl Fn(&str) -> bool) {
    // A proxy of the machine could not reach the server.
    let client = client_builder().no_proxy().build().unwrap();
    let (text, stopped) = failed(client.get(url)).await;
    let rest = text.strip_prefix(&format!("error sending request for url ({shown}): client error (Connect): "));
    assert!(rest.is_some_and(why), "{text}");
    assert_eq!(stopped.to_string(), format!("gave up after too many attempts: {text}"));
    assert!(stopped.source().is_none() && stopped.error().unwrap().source().is_none());
    assert!(stopped.into_response().is_err_and(|stopped| stopped.error().is_some()));
}

/// The words are those of Unix.
#[cfg(unix)]
#[tokio::test]
async fn a_connection_that_is_refused() {
    let (_reserved, url) = nobody();
    let secret = format!("{url}?token=secret#part").replace("//", "//user:secret@");
    for url_with_secrets in [&url, &secret] {
        check(url_with_secrets, &url, |why| why.starts_with("tcp connect error: Connection refused (os error ")).await;
    }
}

/// The words are those of Unix.
#[cfg(unix)]
#[tokio::test]
async fn a_host_that_does_not_exist() {
    let url = "http://nonexistent.invalid/events";
    // The rest is the system's.
    check(url, url, |why| why.starts_with("dns error: ") && why.contains(": failed to lookup address information: "))
        .await;
}

#[tokio::test]
async fn a_body_that_breaks_off() {
    let cut = Script::new().header("content-length", "99").send("data: a\n\n");
    let (server, client) = (serve(&[cut]), http_client());
    let seen = Way::Same.run(&|| client.get(server.url() + "?token=secret")).await;
    let text = seen.errors[0].to_string();
    assert!(text.ends_with(": end of file before message length reached") && !text.contains("secret"), "{text}");
}

#[tokio::test]
async fn a_redirect_that_is_not_followed() {
    let away = redirect(303, "http://user:secret@127.0.0.1:1/x?secret");
    let (server, client) = (serve(&[away]), client_builder().no_proxy().build().unwrap());
    let seen = Way::Same.run(&|| client.get(server.url() + "?secret").with_redirects(10)).await;
    let expected = format!(
        "request or response body error for url ({}): cannot follow the redirect to \"http://127.0.0.1:1/x\": \
        it is of another origin, which is not allowed",
        server.url()
    );
    assert_eq!(seen.stopped.to_string(), expected);
}
