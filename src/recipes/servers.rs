//! Recipes for servers: many readers, snapshots, answers, tokens, and servers other than axum. Documentation only: this
//! module has no items.
//!
//! In the tests of a server, check what it sends with the crate [`eventwire-lint`]: it finds lines that clients would
//! silently ignore, and headers that make a proxy hold events back. Its page shows a test of a handler of axum.
//!
//! # A server that broadcasts
//!
//! ```sh
//! cargo add eventwire --features http-body,json,tokio
//! cargo add anyhow axum eventwire-hub serde tokio-util
//! cargo add tokio --features macros,net,rt-multi-thread,signal,time
//! ```
//!
//! `Feed::publish` sends a value to all readers, from any task or thread. The [`Channel`] numbers the events and keeps
//! the last ones. Each response begins with an ID, so that a reader has one to return with even if it receives no
//! event. A reader that returns sends `Last-Event-ID` and gets the events after that one, in order. A new reader begins
//! with the next event; with `Resume::from_request(..).or_earliest()`, it first gets those that are kept. It can also
//! get only [the last few][last].
//!
//! A reader may have missed events that are no longer kept, because it was away for too long, because it is too slow,
//! or because the server has restarted: the kept events are in memory. In their place it gets an event of type `gap`,
//! with the number of missing events if that is known, such as `{"missed":17}`. A reader that must not miss anything
//! loads the current state when it gets a `gap`, as in [the next recipe](#a-page-that-shows-a-snapshot).
//!
//! A slow reader does not slow down the others, and needs no memory. When a client leaves, axum drops the body and the
//! reader in it. A client that stays, but no longer reads, needs [a timeout](#clients-that-do-not-read). The page
//! [Serving many] describes how large the history must be, and metrics.
//!
//! `shutdown.cancel()` ends every response and then the server. Call it, for example, after
//! `tokio::signal::ctrl_c()`. The last block of each response is a reconnection time, chosen at random, so that
//! clients do not return all at once. `response()` sets the headers, also those that keep proxies from buffering.
//!
//! A server that listens on a user's own machine is open to every web page in that user's browser, by DNS rebinding.
//! Check the header `Host` of each request: [`known_hosts.rs`] of the example gateway is a file to copy.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/axum_server.rs"), "```"))]
//!
//! # A filter for each reader
//!
//! ```sh
//! cargo add eventwire --features http-body,tokio
//! cargo add axum eventwire-hub futures-util
//! cargo add tokio --features macros,net,rt-multi-thread
//! ```
//!
//! Each reader gets the types of events that its path names. The others are hidden from it, but they move its last
//! event ID on: after every 100 of them it gets a block with an ID alone, which clients do not show. So a reader for
//! which there was nothing for hours can return, and is not told of a gap. [Serving many][hidden] explains why, and how
//! long the history must be.
//!
//! `filtered` works for the readers of a [`Channel`] and of a [`Hub`]. It reads the type of each event for each reader,
//! which takes less time than sending it. To filter by something else than the type, look at `block.data()` as well; a
//! type such as `price.EUR` needs no JSON.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/filtered_feed.rs"), "```"))]
//!
//! # Clients that do not read
//!
//! ```sh
//! cargo add axum tokio-io-timeout
//! cargo add tokio --features macros,net,rt-multi-thread
//! ```
//!
//! A page that hangs, or a process that was stopped, keeps its connection open and reads nothing. Once the buffers are
//! full, the server no longer polls the body, so nothing in the body can end the response. This listener ends the
//! connection, and with it the body and what it holds, such as the reader of a [`Channel`]:
//!
#![cfg_attr(
    not(doctest),
    doc = "```rust
let listener = TcpListener::bind(\"127.0.0.1:3000\").await?;
let longest_stall = Duration::from_secs(60);
axum::serve(Impatient { listener, longest_stall }, routes).await?;
```"
)]
//!
//! A client that reads slowly is not affected, nor is one that has nothing to read. `axum::serve` uses HTTP/1.1 unless
//! axum's feature `http2` is on. For HTTP/2, for clients that are gone, and for a limit of connections, see [Serving
//! many][stalled].
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/stalled_readers.rs"), "```"))]
//!
//! # A page that shows a snapshot
//!
//! ```sh
//! cargo add eventwire --features http-body,json,tokio
//! cargo add anyhow axum eventwire-hub serde_json
//! cargo add tokio --features macros,net,rt-multi-thread
//! ```
//!
//! The server reads the position of the channel *before* it reads the state, and sends both. The page then subscribes
//! after this position, by the parameter `last_event_id`, because the first request of an `EventSource` has no header
//! for it. So a change that is made between the two, or before the page subscribes, is sent. If the position were read
//! after the state, a change between the two would be in neither.
//!
//! Such a change may also be in the snapshot already. So an event says what a price is now, not by how much it has
//! changed: then it does no harm if it is applied twice.
//!
//! This channel is never finished: a page that is told not to return would load the snapshot again and again.
//!
//! `set` has an order, too. The state changes before the event is sent, so everything up to a position is in the state
//! that is read after it. With a database, send the event after the commit. Two changes of the same price must be sent
//! in the order in which they were made; here the lock ensures that.
//!
//! After a `gap`, the page closes the stream and loads the snapshot again. It does the same, after three seconds, if a
//! request is refused, for example by a proxy whose server is restarting. An `EventSource` reconnects by itself only
//! when a connection fails.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/snapshot_then_events.rs"), "```"))]
//!
//! # An answer that goes on without its readers
//!
//! ```sh
//! cargo add eventwire --features http-body,tokio
//! cargo add axum eventwire-hub fastrand futures-util
//! cargo add tokio --features macros,net,rt-multi-thread
//! ```
//!
//! Each answer is a topic of a [`Hub`], and the model runs in a task of its own. So a reader can leave, return with its
//! last event ID, and get the rest, also from another process. A page that was loaded again has no ID, so it gets the
//! answer from its beginning. With the log `Memory::new(History::new())`, there is only one process. For several, use
//! the crate [`eventwire-redis`]: `RedisLog::open(url)?.with_expiry(day)` also removes old answers.
//!
//! `DELETE` ends the topic, in any process. The model stops because it is one of the topic's readers. All calls of
//! `end` have the same key for [`send_once`], so there is only one event `end`, even if the model is done at the same
//! moment. A word that was on its way can follow that event, so clients should stop reading there.
//!
//! If the process that runs the model is killed, its answers have no end until they are deleted. Before a process
//! exits by itself, it should wait for its tasks, or end their topics. Anyone who knows an ID can read the answer and
//! stop it, so check in the handlers who asks.
//!
//! For topics to which clients send, see the server on the front page of [`eventwire-redis`].
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/detached_answer.rs"), "```"))]
//!
//! # A token that expires
//!
//! ```sh
//! cargo add eventwire --features http-body,tokio
//! cargo add anyhow axum eventwire-hub eventwire-reqwest tokio-util
//! cargo add reqwest@0.13
//! cargo add tokio --features macros,net,rt-multi-thread,time
//! ```
//!
//! A stream lives longer than the check at its beginning. `timeout_at` resolves when the token is revoked or expires,
//! and [`until`](crate::EventBody::until) then ends the body, never inside an event. The reader reconnects and sends
//! its last event ID. If its token is fresh by then, it continues after that event, so it loses none. Otherwise the
//! server answers 401, and neither a browser nor the client of this project tries again.
//!
//! The token is checked for each request, and before `subscribe`. Otherwise a reader whose token was revoked could
//! still get earlier events, with an old ID.
//!
//! `follow` takes the newest token for each attempt. Another task [renews it](super::clients#a-token-that-is-renewed)
//! before it expires. If the token is
//! rejected, `follow` returns the error. To continue later, keep the ID of the last event, and pass it to
//! [`with_last_event_id`] of a new source.
//!
//! An `EventSource` of a browser cannot send a header, so put the token into a cookie there, which the page refreshes
//! in time. After a 401 its `readyState` is `CLOSED`. Then refresh the cookie, and open a new one whose URL has the
//! `lastEventId` of the last event as `last_event_id`.
//!
//! The last block asks the reader to return within a second, because nothing is wrong with the server. The first block
//! of the next response sets the reconnection time back to 3 seconds.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/token_expires.rs"), "```"))]
//!
//! # Other servers
//!
//! ```sh
//! cargo add eventwire --features http-body,tokio
//! cargo add futures-util
//! ```
//!
//! axum takes the response of an [`EventBody`](crate::EventBody) as it is. These servers have their own types of
//! bodies, which take its chunks, and need [the headers](crate::EventBody::RESPONSE_HEADERS). With actix-web 4
//! (`cargo add actix-web@4`):
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/serve_actix.rs"), "```"))]
//!
//! With poem 3 (`cargo add poem@3`):
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/serve_poem.rs"), "```"))]
//!
//! With rocket 0.5 (`cargo add rocket@0.5`):
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/serve_rocket.rs"), "```"))]
//!
//! With salvo 1.1 (`cargo add salvo`):
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/serve_salvo.rs"), "```"))]
//!
//! With warp 0.4 (`cargo add warp@0.4`):
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/serve_warp.rs"), "```"))]
//!
//! [`known_hosts.rs`]: https://github.com/eventwire/eventwire/blob/main/examples/gateway/src/known_hosts.rs
//! [Serving many]: https://docs.rs/eventwire-hub/latest/eventwire_hub/serving_many/
//! [hidden]: https://docs.rs/eventwire-hub/latest/eventwire_hub/serving_many/#a-filter-for-each-reader
//! [last]: https://docs.rs/eventwire-hub/latest/eventwire_hub/serving_many/#the-last-events-for-a-new-reader
//! [stalled]: https://docs.rs/eventwire-hub/latest/eventwire_hub/serving_many/#readers-that-do-not-read
//! [`Hub`]: https://docs.rs/eventwire-hub/latest/eventwire_hub/struct.Hub.html
//! [`send_once`]: https://docs.rs/eventwire-hub/latest/eventwire_hub/struct.Hub.html#method.send_once
//! [`eventwire-redis`]: https://docs.rs/eventwire-redis
//! [`Channel`]: https://docs.rs/eventwire-hub/latest/eventwire_hub/struct.Channel.html
//! [`with_last_event_id`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.EventSource.html#method.with_last_event_id
//! [`eventwire-lint`]: https://docs.rs/eventwire-lint/latest/eventwire_lint/#a-test-of-a-handler
