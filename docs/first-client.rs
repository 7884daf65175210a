use eventwire_reqwest::RequestBuilderExt;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let request = reqwest::Client::new().get("http://127.0.0.1:3000/ticks");
    let mut events = request.open().await?; // an error if it is not an event stream
    while let Some(event) = events.next().await {
        println!("{}", event?.data());
    }
    Ok(())
}
