use eventwire_client::{Action, Reconnect, ReconnectPolicy, ResponseHead, StopReason};
use std::{hash::BuildHasher, hash::RandomState, io, io::Read, thread, time::Instant};

/// Follows an event stream. `agent` needs `http_status_as_error(false)`, because
/// `Reconnect` looks at the status.
pub fn follow(
    agent: &ureq::Agent,
    url: &str,
    mut on_event: impl FnMut(eventwire::EventRef<'_>),
) -> anyhow::Result<()> {
    // Random, so that clients do not all return at the same time.
    let seed = RandomState::new().hash_one(());
    let mut reconnect = Reconnect::new(ReconnectPolicy::new().with_jitter_seed(seed));
    let (mut decoder, start) = (eventwire::Decoder::new(), Instant::now());
    let (mut buffer, mut cause) = (vec![0; 16 * 1024], String::new());
    let mut body: Box<dyn Read> = Box::new(io::empty());
    loop {
        match reconnect.poll(start.elapsed(), &decoder) {
            Action::Connect { last_event_id, .. } => {
                let request = agent.get(url).header("Accept", "text/event-stream");
                let request = match last_event_id {
                    Some(id) => request.header("Last-Event-ID", id),
                    None => request,
                };
                match request.call() {
                    Ok(response) => {
                        cause = format!("status {}", response.status());
                        let head = ResponseHead::from(&response);
                        reconnect.handle_response(start.elapsed(), &head);
                        body = Box::new(response.into_body().into_reader());
                    }
                    Err(error) => {
                        cause = error.to_string();
                        body = Box::new(io::empty()); // ends at once
                    }
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
