//! A chat as a component of Leptos. A button stops an answer; so does the next question,
//! and removing the component.

use super::browser::ask; // the recipe for a page in a browser
use futures_util::future::AbortHandle;
use leptos::{ev::SubmitEvent, prelude::*};

#[component]
pub fn Chat(#[prop(into)] url: String) -> impl IntoView {
    let (question, set_question) = signal(String::new());
    let (answer, set_answer) = signal(String::new());
    let running = StoredValue::new(None::<AbortHandle>);
    let stop = move || {
        if let Some(running) = running.try_update_value(Option::take).flatten() {
            running.abort();
        }
    };
    on_cleanup(stop);
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        stop();
        set_answer.set(String::new());
        let handle = ask(url.clone(), &question.get(), move |token| {
            set_answer.update(|answer| answer.push_str(token));
        });
        running.set_value(Some(handle));
    };
    view! {
        <form on:submit=submit>
            <input
                prop:value=question
                on:input:target=move |event| set_question.set(event.target().value())
            />
            <button>"Ask"</button>
            <button type="button" on:click=move |_| stop()>"Stop"</button>
        </form>
        <p aria-live="polite">{answer}</p>
    }
}
