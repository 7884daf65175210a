use eventwire_client::{Action, Reconnect, ReconnectPolicy, ResponseHead, StopReason};
use std::{hash::BuildHasher, hash::RandomState, io, io::Read, thread, time::Instant};

/// Follows an event stream. `agent` needs `http_status_as_error(false)`, because `Reconnect` looks at the status.
pub fn follow(agent: &ureq::Agent, url: &str, mut on_event: impl FnMut(eventwire::EventRef<'_>)) -> anyhow::Result<()> {
    let seed = RandomState::new().hash_one(()); // random, so that clients do not all return at the same time
    let mut reconnect = Reconnect::new(ReconnectPolicy::new().with_jitter_seed(seed));
    let (mut decoder, start, mut cause) = (eventwire::Decoder::new(), Instant::now(), String::new());
    let (mut body, mut buffer): (Box<dyn Read>, _) = (Box::new(io::empty()), vec![0; 16 * 1024]);
    loop {
        match reconnect.poll(start.elapsed(), &decoder) {
            Action::Connect { last_event_id, .. } => {
                let request = agent.get(url).header("Accept", "text/event-stream");
                match last_event_id.into_iter().fold(request, |with, id| with.header("Last-Event-ID", id)).call() {
                    Ok(response) => {
                        cause = format!("status {}", response.status());
                        reconnect.handle_response(start.elapsed(), &ResponseHead::from(&response));
                        body = Box::new(response.into_body().into_reader());
                    }
                    Err(error) => (cause, body) = (error.to_string(), Box::new(io::empty())), // ends at once
                }
            }
            Action::Read => match body.read(&mut buffer) {
                Ok(length @ 1..) => {
                    let mut chunk = &buffer[..length];
                    while let Some(event) = decoder.decode(&mut chunk)? {
                        reconnect.handle_progress();
                        on_event(event);
                    }
                }
                _ => {
                    decoder.reset(); // drops an unfinished event
                    reconnect.handle_disconnect(start.elapsed());
                }
            },
            Action::Wait(delay) => thread::sleep(delay),
            Action::Stop(StopReason::NoContent) => return Ok(()),
            Action::Stop(reason) => anyhow::bail!("{reason}: {cause}"),
        }
    }
}
