//! The server on the front page of eventwire-redis: what it answers, and what it logs, when the hub returns an error.
//! And that on the page of eventwire-postgres, which is the same with another log.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

const SERVER: &str = include_str!("../../../crates/eventwire-redis/docs/server.rs");

#[test]
fn the_pages_show_it() {
    assert!(include_str!("../../../crates/eventwire-redis/README.md").contains(SERVER));
    let postgres = include_str!("../../../crates/eventwire-postgres/docs/server.rs");
    assert!(include_str!("../../../crates/eventwire-postgres/README.md").contains(postgres));
    let (_, rest) = SERVER.split_once("/// Makes a response of an error.").unwrap();
    let (refuse, _) = rest.split_once("\n}\n").unwrap();
    assert!(include_str!("../../../crates/eventwire-hub/docs/serving-many.md").contains(refuse));
}

#[allow(dead_code, reason = "its ports are fixed, so `main` is only compiled")]
mod server {
    include!("../../../crates/eventwire-redis/docs/server.rs");

    use axum::{body, response::Response};
    use eventwire::Events;
    use eventwire_log_tests::RedisServer;
    use futures_util::TryStreamExt;
    use std::{env, process::Command};

    async fn text(response: Response) -> String {
        String::from_utf8(body::to_bytes(response.into_body(), 1000).await.unwrap().into()).unwrap()
    }

    /// Each hub has connections of its own, like a process.
    #[tokio::test]
    async fn a_reader_continues_at_another_process() {
        let Some(redis) = RedisServer::start(&[]) else { return };
        let [one, two, three] = [(); 3].map(|()| Hub::new(RedisLog::open(&redis.url()).unwrap()));
        let room = || Path("room".to_owned());
        let open = async |hub: &Hub<RedisLog>, query: Option<String>| {
            let response = read(State(hub.clone()), room(), HeaderMap::new(), RawQuery(query)).await.into_response();
            assert_eq!(response.status(), 200);
            Events::from_body(response.into_body())
        };
        let send = async |message: &str| {
            assert_eq!(send(State(two.clone()), room(), message.to_owned()).await.into_response().status(), 200);
        };
        let mut reader = open(&one, None).await;
        send("1").await;
        let event = reader.try_next().await.unwrap().unwrap();
        assert_eq!(event.data(), "1");
        // The first process ends.
        drop((reader, one));
        send("2").await;
        let mut reader = open(&three, Some(format!("last_event_id={}", event.last_event_id()))).await;
        send("3").await;
        for data in ["2", "3"] {
            assert_eq!(reader.try_next().await.unwrap().unwrap().data(), data);
        }
    }

    /// Runs itself, because only another process can read what is logged.
    #[tokio::test]
    async fn when_the_log_fails() {
        const IS_CHILD: &str = "EVENTWIRE_TEST_IS_CHILD";
        if env::var_os(IS_CHILD).is_none() {
            let test = ["server::when_the_log_fails", "--exact", "--nocapture"];
            let child = Command::new(env::current_exe().unwrap()).args(test).env(IS_CHILD, "").output().unwrap();
            let log = String::from_utf8(child.stderr).unwrap();
            assert!(child.status.success(), "{log}");
            assert_eq!(log.matches("the log has failed: cannot connect to Redis: ").count(), 2, "{log}");
            assert_eq!(log.matches("the log has returned entries out of order\n").count(), 1, "{log}");
            return;
        }
        // Nobody listens on port 1.
        let hub = Hub::new(RedisLog::open("redis://127.0.0.1:1").unwrap());
        let room = || Path("room".to_owned());
        let sent = send(State(hub.clone()), room(), "hello".to_owned()).await.into_response();
        let read = read(State(hub), room(), HeaderMap::new(), RawQuery(None)).await.into_response();
        for response in [sent, read] {
            assert_eq!(response.status(), 503);
            assert_eq!(text(response).await, "the log has failed");
        }
        assert_eq!(refuse(HubError::OutOfOrder).into_response().status(), 503);
    }

    #[tokio::test]
    async fn when_a_reader_has_everything_and_when_there_are_too_many_readers() {
        let response = refuse(HubError::UpToDate).into_response();
        assert_eq!((response.status().as_u16(), text(response).await), (204, String::new()));
        let response = refuse(HubError::Full { retry_after: Duration::from_secs(7) }).into_response();
        assert_eq!((response.status().as_u16(), &response.headers()["retry-after"]), (503, &"7".parse().unwrap()));
        assert!(text(response).await.contains("7 s"));
    }
}

#[allow(dead_code, reason = "its ports are fixed, so `main` is only compiled")]
mod postgres {
    include!("../../../crates/eventwire-postgres/docs/server.rs");

    use eventwire::Events;
    use eventwire_log_tests::PostgresServer;
    use futures_util::TryStreamExt;

    #[tokio::test]
    async fn a_reader_gets_what_another_process_sends() {
        let Some(postgres) = PostgresServer::start(&[]) else { return };
        let [one, two] = [(); 2].map(|()| Hub::new(PostgresLog::open(&postgres.url()).unwrap()));
        let room = || Path("room".to_owned());
        let response = read(State(one.clone()), room(), HeaderMap::new(), RawQuery(None)).await.into_response();
        let mut reader = Events::from_body(response.into_body());
        assert_eq!(send(State(two), room(), "hello".to_owned()).await.into_response().status(), 200);
        assert_eq!(reader.try_next().await.unwrap().unwrap().data(), "hello");
    }
}
