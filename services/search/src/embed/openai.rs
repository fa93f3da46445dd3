//! Any API that speaks OpenAI's embeddings protocol.
use std::{fmt, num::NonZeroUsize, time::Duration};

use async_openai::{
    Client,
    config::OpenAIConfig,
    error::OpenAIError,
    middleware::{ReqwestService, retry::SimpleRetryPolicy},
    types::embeddings::{
        CreateEmbeddingRequest, CreateEmbeddingResponse, EmbeddingInput, EncodingFormat,
    },
};
use async_trait::async_trait;
use futures::{StreamExt, TryStreamExt, stream};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use tokio::time::timeout;
use tower::ServiceBuilder;

use super::{Embedder, Error, normalize};

/// How many texts go into one request.
const BATCH_TEXTS: usize = 128;
/// How many requests for documents are under way at once.
const PARALLEL_BATCHES: usize = 4;
/// How often a request is tried again: after 429, 5xx, or where no connection came about.
const RETRIES: usize = 5;
/// How many characters of a text are sent. The protocol allows 8,192 tokens, and hardly any text
/// has more tokens than a third of its characters; scripts with more are cut sooner by the API.
const MAX_CHARACTERS: usize = 8_000;

/// Where the API is, and what it is asked for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenAiConfig {
    /// The address before `/embeddings`.
    #[serde(default = "OpenAiConfig::default_base_url")]
    pub base_url: String,
    /// The key. An API that wants none still needs some text here.
    pub api_key: SecretString,
    /// The model, such as `text-embedding-3-small`.
    pub model: String,
    /// How many numbers its vectors have.
    pub dimensions: NonZeroUsize,
    /// Whether to ask for that many: `text-embedding-3` and later can shorten their vectors.
    #[serde(default)]
    pub send_dimensions: bool,
    /// How long one request may take.
    #[serde(default = "OpenAiConfig::default_request_seconds")]
    pub request_seconds: f32,
    /// How long an answer may take, tries again included.
    #[serde(default = "OpenAiConfig::default_total_seconds")]
    pub total_seconds: f32,
}

/// An embedder behind an API.
pub struct OpenAi {
    client: Client<OpenAIConfig>,
    config: OpenAiConfig,
    total: Duration,
}

impl OpenAi {
    /// Prepares the client. Settings that cannot work are refused; nothing is sent yet.
    pub fn new(config: OpenAiConfig) -> Result<Self, Error> {
        let total = duration("total_seconds", config.total_seconds)?;
        let http = reqwest::Client::builder()
            .timeout(duration("request_seconds", config.request_seconds)?)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| Error::Settings(error.to_string()))?;
        let retrying = ServiceBuilder::new()
            .retry(SimpleRetryPolicy::new(RETRIES))
            .service(ReqwestService::new(http.clone()));
        let client = Client::build(http, protocol(&config)?).with_http_service(retrying);
        Ok(Self { client, config, total })
    }

    /// The vectors of up to [`BATCH_TEXTS`] texts, whatever their order in the answer.
    async fn embed_batch(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
        let embeddings = self.client.embeddings();
        let answer = timeout(self.total, embeddings.create(self.request(texts))).await;
        let answer = answer.map_err(|_| Error::TimedOut(self.total))?;
        self.vectors(answer.map_err(Error::from)?, texts.len())
    }

    fn request(&self, texts: &[String]) -> CreateEmbeddingRequest {
        let dimensions = u32::try_from(self.config.dimensions.get()).ok();
        CreateEmbeddingRequest {
            model: self.config.model.clone(),
            input: EmbeddingInput::StringArray(texts.iter().map(|text| sendable(text)).collect()),
            encoding_format: Some(EncodingFormat::Float),
            user: None,
            dimensions: dimensions.filter(|_| self.config.send_dimensions),
        }
    }

    fn vectors(
        &self,
        answer: CreateEmbeddingResponse,
        expected: usize,
    ) -> Result<Vec<Vec<f32>>, Error> {
        let actual = answer.data.len();
        if actual != expected {
            return Err(Error::Unexpected { what: "vectors", expected, actual });
        }
        let mut data = answer.data;
        data.sort_by_key(|embedding| embedding.index);
        data.into_iter().map(|embedding| self.vector(embedding.embedding)).collect()
    }

    fn vector(&self, mut vector: Vec<f32>) -> Result<Vec<f32>, Error> {
        let (expected, actual) = (self.config.dimensions.get(), vector.len());
        if actual != expected {
            return Err(Error::Unexpected { what: "dimensions", expected, actual });
        }
        let length = vector.iter().map(|x| x * x).sum::<f32>();
        if !length.is_normal() {
            return Err(Error::Api("it answered with a vector that is zero or not finite".into()));
        }
        normalize(&mut vector);
        Ok(vector)
    }
}

#[async_trait]
impl Embedder for OpenAi {
    fn name(&self) -> &str {
        &self.config.model
    }

    fn dimensions(&self) -> usize {
        self.config.dimensions.get()
    }

    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, Error> {
        let vectors = self.embed_batch(&[text.to_owned()]).await?;
        let unexpected = Error::Unexpected { what: "vectors", expected: 1, actual: 0 };
        vectors.into_iter().next().ok_or(unexpected)
    }

    async fn embed_documents(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
        let batches: Vec<_> =
            texts.chunks(BATCH_TEXTS).map(|texts| self.embed_batch(texts)).collect();
        let vectors: Vec<_> =
            stream::iter(batches).buffered(PARALLEL_BATCHES).try_collect().await?;
        Ok(vectors.into_iter().flatten().collect())
    }
}

/// The protocol refuses a text of nothing, and one that is too long.
fn sendable(text: &str) -> String {
    if text.trim().is_empty() { ".".into() } else { text.chars().take(MAX_CHARACTERS).collect() }
}

fn protocol(config: &OpenAiConfig) -> Result<OpenAIConfig, Error> {
    let key = config.api_key.expose_secret();
    if key.is_empty() {
        return Err(Error::Settings("`api_key` is empty".into()));
    }
    if http::HeaderValue::from_str(key).is_err() {
        return Err(Error::Settings("`api_key` has a character that no key has".into()));
    }
    if let Err(error) = config.base_url.parse::<http::Uri>() {
        return Err(Error::Settings(format!("`base_url` is `{}`: {error}", config.base_url)));
    }
    let base = config.base_url.trim_end_matches('/');
    // Without this, the crate would take the organization from the environment.
    Ok(OpenAIConfig::new().with_org_id("").with_api_base(base).with_api_key(key))
}

fn duration(name: &str, seconds: f32) -> Result<Duration, Error> {
    let duration = Duration::try_from_secs_f32(seconds).ok().filter(|length| !length.is_zero());
    let wrong = || Error::Settings(format!("`{name}` is `{seconds}`, expected more than 0"));
    duration.ok_or_else(wrong)
}

impl OpenAiConfig {
    fn default_base_url() -> String {
        "https://api.openai.com/v1".into()
    }

    const fn default_request_seconds() -> f32 {
        15.0
    }

    const fn default_total_seconds() -> f32 {
        60.0
    }
}

impl From<OpenAIError> for Error {
    fn from(error: OpenAIError) -> Self {
        match error {
            // What was sent and what came back may hold a customer's text: neither is repeated.
            OpenAIError::JSONDeserialize(reason, _) => Self::Api(format!("its answer: {reason}")),
            OpenAIError::ApiError(refusal) => Self::Api(refusal.to_string()),
            OpenAIError::Reqwest(error) if error.is_timeout() => {
                Self::Api("a request timed out".into())
            }
            other => Self::Api(other.to_string()),
        }
    }
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi").field("config", &self.config).finish_non_exhaustive()
    }
}
