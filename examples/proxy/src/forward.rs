//! A request on its way to the server, and the answer on its way back.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::api_error::ApiError;
use crate::root_cause::root_cause;
use crate::server::Proxy;
use crate::watch::Watch;
use crate::{headers, model, relay, request_body};

/// The maximum size of JSON that is changed, in bytes. Larger JSON is passed on unchanged.
const LARGEST_JSON: usize = 16 << 20;

pub(crate) async fn forward(State(proxy): State<Arc<Proxy>>, request: Request) -> Result<Response, ApiError> {
    let started = Instant::now();
    let (request, body) = request.into_parts();
    let body = request_body::read(body).await?;
    if request.method == Method::CONNECT {
        return Err(ApiError::no_tunnels());
    }
    let (method, path) = (request.method.clone(), request.uri.path().to_owned());
    let answer = proxy.upstream.send(request, body).await?;
    let status = answer.status();
    let media_type =
        if has_whole_body(&method, status) { headers::readable_type(answer.headers()) } else { String::new() };
    let (headers, body) = match (media_type.as_str(), &proxy.model) {
        ("text/event-stream", model) => {
            let headers = headers::for_client_rewritten(answer.headers());
            let watch = Watch::new(method, path, status, started, Arc::clone(&proxy.log));
            (headers, relay::body(answer, watch, model.clone()))
        }
        ("application/json", Some(model)) => json(answer, model).await?,
        _ => (headers::for_client(answer.headers()), Body::from_stream(answer.bytes_stream())),
    };
    Ok((status, headers, body).into_response())
}

/// Returns whether the answer has a body that can be changed.
fn has_whole_body(method: &Method, status: StatusCode) -> bool {
    // A body that does not exist is never polled, so the end of the stream would not be noticed. A partial answer
    // cannot be changed, because its range would be wrong.
    const OTHERS: [StatusCode; 3] = [StatusCode::NO_CONTENT, StatusCode::PARTIAL_CONTENT, StatusCode::NOT_MODIFIED];
    method != Method::HEAD && !OTHERS.contains(&status)
}

/// Returns JSON with this model name. It is read completely before the answer begins, so that a truncated one
/// becomes an error response.
async fn json(answer: reqwest::Response, model: &str) -> Result<(HeaderMap, Body), ApiError> {
    let kept = headers::for_client(answer.headers());
    let rewritten = headers::for_client_rewritten(answer.headers());
    let mut chunks = answer.bytes_stream();
    let mut read = BytesMut::new();
    while let Some(chunk) =
        chunks.try_next().await.map_err(|error| ApiError::broken(&root_cause(&error).to_string()))?
    {
        read.extend_from_slice(&chunk);
        if read.len() > LARGEST_JSON {
            let read = stream::iter([Ok::<Bytes, reqwest::Error>(read.freeze())]);
            return Ok((kept, Body::from_stream(read.chain(chunks))));
        }
    }
    let renamed = str::from_utf8(&read).ok().and_then(|json| model::rename(json, model));
    Ok(renamed.map_or_else(|| (kept, read.freeze().into()), |json| (rewritten, json.into())))
}
