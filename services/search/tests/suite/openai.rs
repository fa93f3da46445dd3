//! The API embedder against a local server that speaks OpenAI's protocol, well and badly.
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use axum::{
    Json, Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::post,
};
use search::embed::{Embedder, Error, OpenAi, OpenAiConfig};
use serde_json::{Value, json};

/// How the server answers one request.
#[derive(Clone, Debug)]
enum Answer {
    Well,
    Backwards,
    OneTooFew,
    Longer,
    Zero,
    Status(u16),
    TryAgainAfter(u64),
    Refuse(u16, &'static str),
    Late(Duration),
    NotJson,
}

#[derive(Clone, Default)]
struct Server {
    answers: Arc<Mutex<VecDeque<Answer>>>,
    requests: Arc<Mutex<Vec<(HeaderMap, Value)>>>,
}

impl Server {
    async fn start(answers: impl IntoIterator<Item = Answer>) -> (Self, OpenAiConfig) {
        let server = Self::default();
        server.answers.lock().unwrap().extend(answers);
        let routes = Router::new().route("/v1/embeddings", post(answer)).with_state(server.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, routes).await });
        let config = json!({ "base_url": format!("http://{address}/v1"), "api_key": "k3y",
            "model": "small", "dimensions": 2, "request_seconds": 0.5, "total_seconds": 5 });
        (server, serde_json::from_value(config).unwrap())
    }

    fn requests(&self) -> Vec<(HeaderMap, Value)> {
        self.requests.lock().unwrap().clone()
    }
}

async fn answer(
    State(server): State<Server>,
    headers: HeaderMap,
    Json(request): Json<Value>,
) -> Response {
    server.requests.lock().unwrap().push((headers, request.clone()));
    let answer = server.answers.lock().unwrap().pop_front().unwrap_or(Answer::Well);
    let texts = request["input"].as_array().unwrap();
    let numbered = texts.iter().enumerate();
    let mut data: Vec<Value> = numbered.map(|(index, text)| embedding(index, text)).collect();
    match answer {
        Answer::Well => {}
        Answer::Backwards => data.reverse(),
        Answer::OneTooFew => data.truncate(data.len() - 1),
        Answer::Longer => data[0]["embedding"] = json!([1, 2, 3]),
        Answer::Zero => data[0]["embedding"] = json!([0, 0]),
        Answer::Status(status) => return (code(status), "busy").into_response(),
        Answer::TryAgainAfter(seconds) => {
            let after = [("retry-after", seconds.to_string())];
            return (code(429), after, "slow down").into_response();
        }
        Answer::Refuse(status, message) => {
            let error = json!({ "error": { "message": message, "type": "invalid" } });
            return (code(status), Json(error)).into_response();
        }
        Answer::Late(by) => tokio::time::sleep(by).await,
        Answer::NotJson => return "<html>".into_response(),
    }
    let usage = json!({ "prompt_tokens": 1, "total_tokens": 1 });
    Json(json!({ "object": "list", "model": "small", "data": data, "usage": usage }))
        .into_response()
}

/// The text's length, and twice one: not a unit vector yet.
fn embedding(index: usize, text: &Value) -> Value {
    let length = text.as_str().unwrap().len();
    json!({ "object": "embedding", "index": index, "embedding": [length, 2] })
}

fn code(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap()
}

async fn query(answers: impl IntoIterator<Item = Answer>) -> (Server, Result<Vec<f32>, Error>) {
    let (server, config) = Server::start(answers).await;
    let vector = OpenAi::new(config).unwrap().embed_query("text").await;
    (server, vector)
}

#[tokio::test]
async fn a_query_is_sent_with_key_and_model_and_its_vector_made_one_long() {
    let (server, vector) = query([]).await;
    let vector = vector.unwrap();
    assert!((vector[0] / vector[1] - 2.0).abs() < 1e-6);
    assert!((vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-6);
    let (headers, request) = &server.requests()[0];
    assert_eq!(headers["authorization"], "Bearer k3y");
    assert_eq!((&request["model"], &request["input"]), (&json!("small"), &json!(["text"])));
    assert!(request.get("dimensions").is_none());
}

#[tokio::test]
async fn dimensions_are_sent_where_the_settings_say_so() {
    let (server, mut config) = Server::start([]).await;
    config.send_dimensions = true;
    OpenAi::new(config).unwrap().embed_query("text").await.unwrap();
    assert_eq!(server.requests()[0].1["dimensions"], 2);
}

#[tokio::test]
async fn documents_go_in_batches_of_128_and_come_back_in_order() {
    let (server, config) = Server::start([Answer::Backwards]).await;
    let texts: Vec<String> = (1..=129).map(|length| "x".repeat(length)).collect();
    let vectors = OpenAi::new(config).unwrap().embed_documents(&texts).await.unwrap();
    let lengths: Vec<f32> = vectors.iter().map(|v| (2.0 * v[0] / v[1]).round()).collect();
    assert_eq!(lengths, (1..=129_u16).map(f32::from).collect::<Vec<_>>());
    let mut sizes: Vec<usize> =
        server.requests().iter().map(|(_, r)| r["input"].as_array().unwrap().len()).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [1, 128]);
}

#[tokio::test]
async fn as_many_as_fit_go_in_one_batch_and_none_in_no_request() {
    let (server, config) = Server::start([]).await;
    let openai = OpenAi::new(config).unwrap();
    assert!(openai.embed_documents(&[]).await.unwrap().is_empty());
    assert_eq!(server.requests().len(), 0);
    openai.embed_documents(&vec!["x".to_owned(); 128]).await.unwrap();
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_busy_server_is_asked_again_when_it_says() {
    let started = Instant::now();
    let (server, vector) = query([Answer::TryAgainAfter(1)]).await;
    vector.unwrap();
    assert_eq!(server.requests().len(), 2);
    assert!(started.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn a_failing_server_is_asked_again_with_pauses() {
    let (server, vector) =
        query([Answer::Status(500), Answer::Status(503), Answer::Status(429)]).await;
    vector.unwrap();
    assert_eq!(server.requests().len(), 4);
}

#[tokio::test]
async fn a_server_that_keeps_failing_is_given_up_after_five_more_tries() {
    let (server, vector) = query(vec![Answer::Status(500); 9]).await;
    let message = vector.unwrap_err().to_string();
    assert!(message.contains("500"), "{message}");
    assert_eq!(server.requests().len(), 6);
}

#[tokio::test]
async fn a_refusal_is_not_tried_again_and_says_why() {
    let (server, vector) = query([Answer::Refuse(400, "no such model")]).await;
    let message = vector.unwrap_err().to_string();
    assert!(message.contains("no such model"), "{message}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_wrong_key_is_named() {
    let (_, vector) = query([Answer::Refuse(401, "incorrect key")]).await;
    let message = vector.unwrap_err().to_string();
    assert!(message.contains("401") && message.contains("incorrect key"), "{message}");
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_given_up() {
    let (_, vector) = query([Answer::Late(Duration::from_secs(3))]).await;
    let message = vector.unwrap_err().to_string();
    assert!(message.contains("timed out"), "{message}");
}

#[tokio::test]
async fn all_tries_together_have_an_end_even_if_the_server_asks_to_wait_longer() {
    let (_, mut config) = Server::start([Answer::TryAgainAfter(3_600)]).await;
    config.total_seconds = 0.3;
    let error = OpenAi::new(config).unwrap().embed_query("text").await.unwrap_err();
    assert!(matches!(error, Error::TimedOut(after) if after == Duration::from_secs_f32(0.3)));
}

#[tokio::test]
async fn wrong_dimensions_are_named() {
    let (_, vector) = query([Answer::Longer]).await;
    let expected = Error::Unexpected { what: "dimensions", expected: 2, actual: 3 };
    assert_eq!(vector.unwrap_err().to_string(), expected.to_string());
}

#[tokio::test]
async fn a_missing_vector_is_named() {
    let (_, vector) = query([Answer::OneTooFew]).await;
    let expected = Error::Unexpected { what: "vectors", expected: 1, actual: 0 };
    assert_eq!(vector.unwrap_err().to_string(), expected.to_string());
}

#[tokio::test]
async fn a_vector_of_nothing_is_refused() {
    let (_, vector) = query([Answer::Zero]).await;
    assert!(vector.unwrap_err().to_string().contains("zero"));
}

#[tokio::test]
async fn an_answer_that_is_no_json_is_an_error() {
    let (_, vector) = query([Answer::NotJson]).await;
    assert!(matches!(vector, Err(Error::Api(_))), "{vector:?}");
}

#[tokio::test]
async fn a_text_that_the_protocol_refuses_is_made_sendable() {
    let (server, config) = Server::start([]).await;
    let openai = OpenAi::new(config).unwrap();
    openai.embed_query("  ").await.unwrap();
    openai.embed_query(&"ü".repeat(8_001)).await.unwrap();
    let requests = server.requests();
    assert_eq!(requests[0].1["input"], json!(["."]));
    assert_eq!(requests[1].1["input"][0].as_str().unwrap().chars().count(), 8_000);
}

#[tokio::test]
async fn settings_that_cannot_work_are_refused_at_the_start() {
    let (_, good) = Server::start([]).await;
    let changed = |change: fn(&mut OpenAiConfig)| {
        let mut config = good.clone();
        change(&mut config);
        OpenAi::new(config).unwrap_err().to_string()
    };
    assert!(changed(|config| config.api_key = "".into()).contains("`api_key` is empty"));
    assert!(changed(|config| config.api_key = "a\nb".into()).contains("`api_key`"));
    assert!(changed(|config| config.base_url = "not an address".into()).contains("`base_url`"));
    assert!(changed(|config| config.total_seconds = 0.0).contains("`total_seconds`"));
    assert!(changed(|config| config.request_seconds = -1.0).contains("`request_seconds`"));
}
