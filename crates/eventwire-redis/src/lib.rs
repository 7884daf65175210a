//! Event streams (Server-Sent Events) in Redis: a [`Log`](eventwire_hub::Log) for the [`Hub`](eventwire_hub::Hub) of
//! eventwire-hub. It is for servers that are several processes, or must survive a restart: readers leave one process,
//! return to another one, and continue where they were.
//!
//! # The first server
//!
//! ```sh
//! cargo add anyhow axum eventwire-hub eventwire-redis
//! cargo add eventwire --features http-body,tokio
//! cargo add tokio --features macros,net,rt-multi-thread,time
//! ```
//!
//! Start this twice, on two ports, with one Redis. What is sent to one server reaches the readers of both:
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/server.rs"), "```"))]
//!
//! ```sh
//! curl -N localhost:3000/topics/room-7
//! curl localhost:3000/topics/room-7 -d 'hello'
//! ```
//!
//! What readers get, and how a server admits and sends, is described by [`Hub`](eventwire_hub::Hub) and on the page
//! [Serving many](https://docs.rs/eventwire-hub/latest/eventwire_hub/serving_many/#more-than-one-process). Whether this
//! log is the right one, the page [Which log?](https://docs.rs/eventwire-hub/latest/eventwire_hub/which_log/) says. This
//! page describes what depends on Redis.
//!
//! # The guarantee
//!
//! **No silent hole:** a reader gets every event after its position, once and in order, or exactly one gap event at the
//! place where something is missing. This also holds if Redis loses something. Each topic has an
//! [epoch](eventwire_hub::StreamPosition), and begins a new one when the first event is sent after
//!
//! * a restart of Redis or a failover to a replica, because events that readers have got may be lost,
//! * `FLUSHALL`, an eviction, an expiry, or another deletion of what is known about the topic.
//!
//! What was stored before is then removed, and readers get one gap event. If only some events are removed, by the limit
//! or with `XDEL`, readers who miss them get one gap event with their number.
//!
//! Tests stop, cut, delay, flush and fill Redis a thousand times, while readers move between processes, and compare
//! what each reader got with everything that was accepted.
//!
//! Redis can go back to an earlier state without a restart. Positions are then used twice, and **readers are not told**
//! that something is missing:
//!
//! * A copy of both keys of a topic is restored, or the whole machine from a snapshot of its memory. To prevent it,
//!   delete `eventwire:topic:{TOPIC}` before the next event is sent, or delete both keys and restore only the stream:
//!   the topic then begins a new epoch. Or restart Redis.
//! * A master becomes a replica, loses events that readers have got, and becomes the master again, before any event was
//!   sent to the topic in between.
//!
//! There is one case in which **a reader gets events again**: while there are two masters. After a failover, an old
//! master that cannot be reached by the others may still accept events, and some of the processes may still be
//! connected to it. A reader that goes from the new master to the old one gets a gap event as soon as the old one has
//! another event. If it comes back, it gets a gap event, and then all events that the new master has, those that it has
//! got there before as well. With `min-replicas-to-write 1`, a master refuses events when it has not heard from a
//! replica for `min-replicas-max-lag` seconds, 10 by default. Then this ends soon, and few events are lost when the old
//! master becomes a replica.
//!
//! # What Redis must be set to
//!
//! It needs Redis 6.0 or later, for RESP3, and was tested with 7.0. By its documentation, Valkey has all that it uses.
//!
//! * **Persistence.** With `appendonly yes` and `appendfsync everysec`, Redis can lose the last second when it crashes.
//!   Without persistence it loses everything. With `appendfsync always`, which is much slower, it loses nothing. But
//!   Redis does not tell which of these has happened. So after each restart, the first event that is sent to a topic
//!   removes what is stored of it. Readers that are back before that get everything that Redis has kept, and the others
//!   get a gap event, even if nothing was lost.
//! * **Memory.** Use `maxmemory-policy noeviction`, so that Redis refuses events when it is full, and
//!   `Hub::send` returns an error. With other policies, it removes topics. Readers are
//!   told, but have missed something. [`with_max_events`](RedisLog::with_max_events) limits the events of a topic, and
//!   [`with_expiry`](RedisLog::with_expiry) removes topics that are no longer used. Streams of one topic need memory
//!   for the bytes of their events, and a little more.
//! * **Rights.** The commands are `EVALSHA`, `SCRIPT LOAD`, `HMGET`, `XRANGE`, `XREVRANGE`, `TIME`, `SUBSCRIBE`,
//!   `UNSUBSCRIBE` and `INFO`; and in the script `GET`, `SET`, `HMGET`, `HSET`, `HDEL`, `XADD`, `XREVRANGE`, `DEL`,
//!   `TIME`, `PEXPIRE` and `PUBLISH`. The keys are `eventwire:*`, and so are the channels.
//! * **One server.** Give it an address that leads to the master, also after a failover. Cluster was not tested: all
//!   keys of a topic have the same hash tag, so they are on one server, but this crate connects to one server only. A
//!   proxy that spreads commands over several servers does not work: topics would begin a new epoch each time that the
//!   server differs.
//! * **TLS** was not tested. Add the crate redis with a feature for it, such as `tokio-rustls-comp`, to your program,
//!   and use a URL that begins with `rediss://`.
//!
//! # When Redis cannot be reached
//!
//! Readers that are connected stay connected, get keep-alives from the body, and continue afterwards. New readers are
//! answered with 503. A lost connection is replaced at once, and then after growing pauses of at most two seconds.
//! (There are two: one for commands, and one for messages. They are replaced together.) A connection is given three
//! seconds, and an answer five.
//!
//! # When an event may be stored although there was an error
//!
//! `Hub::send` sends an event once. If the answer does not come in time, or is lost with the connection, nobody here
//! can know whether Redis has stored the event: [`Error::may_be_stored`] is then `true`. It is `false` if there was no
//! connection, or if Redis has refused to store the event.
//!
//! To repeat such an event, send it with a key, by `Hub::send_once`: the script that stores the event also stores the
//! key for a day, and does nothing if it knows the key. Keys have two limits. If Redis loses a key, with a crash, a
//! failover or an eviction, the same event can be stored again. And if a new epoch begins, the events before it are
//! removed, but not their keys: the readers have been told, and the event is not stored again.
//!
//! # How it works
//!
//! A topic is a Redis stream whose IDs are positions (epoch and number), and a hash with the newest position and the
//! run ID of the server that accepted it. One script appends: it compares the run ID with that of the server to which
//! the connection was made, and so notices a restart or a failover. It then adds the event with `XADD`, which removes
//! old events (`MAXLEN ~`), and publishes it. So the processes that follow the topic need not read the stream, unless
//! they have missed a message. Names of keys begin with a [prefix](RedisLog::with_prefix): `eventwire:stream:{TOPIC}`,
//! `eventwire:topic:{TOPIC}`, and `eventwire:key:LENGTH:{TOPIC}KEY`. The channel is `eventwire:wakes:{TOPIC}`.
//!
//! An epoch is the time at which it began, in units of 10 microseconds, and four random digits. So a later epoch is
//! greater. If the server's clock was set back, a new epoch is above the topic's last one, by a random time of up to
//! ten seconds: a server that is started twice from one copy of its data does not use an epoch twice. If nothing is
//! known of the last epoch, the new one is below it. A reader whose ID has an epoch that is in the future for the
//! server gets a gap event, and then what is kept, if the topic's epoch has begun since the server has started. That is
//! also true of an ID that somebody has made up. In all other cases, an ID of an epoch that is later than the topic's
//! may be one that was lost, with a restart or a failover: its reader gets the gap event with the next event.
//!
//! Two things that seem simpler were tried with Redis 7.0.15, and lose events silently. `XREAD BLOCK` skips events that
//! were trimmed, without an error, and waits forever if the stream was deleted and begins again with lower IDs. And the
//! IDs that Redis makes of the time (`*`) do not tell whether something is missing between two of them: trimming does
//! not even change the stream's `max-deleted-entry-id`.

mod connection;
mod error;
mod redis_log;

pub use crate::{error::Error, redis_log::RedisLog};
