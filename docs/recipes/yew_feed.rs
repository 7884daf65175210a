//! A live feed as a component of Yew. It reconnects, shows the state of its connection,
//! and closes it when the component is removed or its URL changes.

use eventwire_web::{Item, Request};
use futures_util::{future::AbortHandle, future::abortable};
use std::{collections::VecDeque, time::Duration};
use yew::{Component, Context, Html, Properties, html, platform::spawn_local};

const SHOWN: usize = 20;

#[derive(Properties, PartialEq)]
pub struct FeedProps {
    pub url: String,
}

pub struct Feed {
    lines: VecDeque<String>,
    status: String,
    connection: AbortHandle,
}

pub enum Update {
    Line(String),
    Status(String),
}

impl Component for Feed {
    type Message = Update;
    type Properties = FeedProps;

    fn create(context: &Context<Feed>) -> Feed {
        let link = context.link().clone();
        let mut source = Request::get(&context.props().url)
            .eventsource()
            .with_idle_timeout(Duration::from_secs(60));
        let (follow, connection) = abortable(async move {
            while let Some(item) = source.next().await {
                match item {
                    Item::Open(_) => link.send_message(Update::Status("live".to_owned())),
                    Item::Event(event) => {
                        link.send_message(Update::Line(event.data().to_owned()));
                    }
                    Item::Reconnecting { error, delay, .. } => {
                        let seconds = delay.as_secs();
                        let status = format!("{error}; trying again in {seconds} s");
                        link.send_message(Update::Status(status));
                    }
                    _ => {}
                }
            }
            let end = match source.into_result() {
                Ok(()) => "the feed has ended".to_owned(),
                Err(error) => error.to_string(), // a 401, for example
            };
            link.send_message(Update::Status(end));
        });
        spawn_local(async {
            let _ = follow.await;
        });
        Feed { lines: VecDeque::new(), status: "connecting".to_owned(), connection }
    }

    fn changed(&mut self, context: &Context<Feed>, _: &FeedProps) -> bool {
        self.connection.abort();
        *self = Feed::create(context);
        true
    }

    fn update(&mut self, _: &Context<Feed>, update: Update) -> bool {
        match update {
            Update::Line(line) => self.lines.push_front(line),
            Update::Status(status) => self.status = status,
        }
        self.lines.truncate(SHOWN);
        true
    }

    fn view(&self, _: &Context<Feed>) -> Html {
        html! {
            <>
                <p role="status">{ &self.status }</p>
                <ul>{ for self.lines.iter().map(|line| html! { <li>{ line }</li> }) }</ul>
            </>
        }
    }

    fn destroy(&mut self, _: &Context<Feed>) {
        self.connection.abort();
    }
}
