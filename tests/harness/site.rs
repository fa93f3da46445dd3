//! How a stack is laid out, and the programs that it is made of.
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use access::{Audience, Door, SignerSettings, VerifierSettings};
use clock::Clock;
use contract::transport::{self, Transport};
use database::DatabaseConfig;
use process::{Process, Telemetry};
use search::{
    EmbedderConfig,
    embed::Embedder,
    engine::Engine,
    index::{EdgeStore, Error, VectorKind},
};
use sqlx::{ConnectOptions, PgPool};
use tokio::sync::OnceCell;
use tonic::service::Routes;
use tower::{ServiceExt, util::BoxCloneSyncService};

use crate::{embedder::WordHashes, environment};

pub const OPERATOR: &str = "the operator's own token";
/// How long a vector store may take to let go of its folder.
const LETTING_GO: Duration = Duration::from_secs(10);

/// Which program runs where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// All in one process, as in `standalone`.
    #[default]
    OneProcess,
    /// Each service on a machine of its own.
    Apart,
    /// The same, with two gateways, and two registries behind each, taken in turn.
    Doubled,
}

/// What turns texts into vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Model {
    /// Arithmetic; quick.
    #[default]
    WordHashes,
    /// all-MiniLM-L6-v2.
    Local,
}

/// What a test wants.
#[derive(Clone, Default)]
pub struct Site {
    pub layout: Layout,
    pub model: Model,
    /// The address of Redis, where not the usual one.
    pub redis: Option<String>,
    /// A search of the test's own, in place of the real one.
    pub search: Option<Transport>,
}

impl Layout {
    pub(crate) fn replicas(self) -> usize {
        match self {
            Self::OneProcess | Self::Apart => 1,
            Self::Doubled => 2,
        }
    }
}

/// The settings that the programs share.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) database: DatabaseConfig,
    pub(crate) folder: PathBuf,
    pub(crate) site: Site,
}

impl Plan {
    pub(crate) fn new(pool: &PgPool, folder: &Path, site: Site) -> Self {
        let plan = Self { database: database(pool), folder: folder.to_owned(), site };
        access::make_signing_key(&plan.private_key(), &plan.public_key()).unwrap();
        plan
    }

    pub(crate) fn signer(&self) -> SignerSettings {
        SignerSettings { signing_key_file: self.private_key() }
    }

    pub(crate) fn vectors(&self) -> PathBuf {
        self.folder.join("vectors")
    }

    fn private_key(&self) -> PathBuf {
        self.folder.join("key.pem")
    }

    fn public_key(&self) -> PathBuf {
        self.folder.join("key.pub.pem")
    }

    fn verifier(&self) -> VerifierSettings {
        VerifierSettings { trusted_key_files: vec![self.public_key()] }
    }

    fn redis(&self) -> String {
        self.site.redis.clone().unwrap_or_else(environment::redis_url)
    }

    pub(crate) async fn search(&self) -> Routes {
        let verifier = self.verifier().verifier(Audience::Search, Clock::default()).unwrap();
        let embedder = embedder(self.site.model).await;
        let store = store(&self.vectors(), embedder.as_ref()).await;
        search::routes_on(Engine::new(embedder, Arc::new(store)), Door::new(verifier))
    }

    pub(crate) async fn registry(&self, search: Transport, process: &Process) -> Routes {
        let config = registry::Config {
            listen: crate::stack::ANY_PORT,
            database: self.database.clone(),
            blobs: registry::BlobConfig::Folder { path: self.folder.join("blobs") },
            redis: Some(registry::RedisConfig { url: self.redis().into() }),
            search: String::new(),
            signer: self.signer(),
            verifier: self.verifier(),
            telemetry: Telemetry::default(),
        };
        registry::routes(&config, search, process, Clock::default()).await.unwrap()
    }

    pub(crate) fn gateway(&self) -> gateway::Config {
        gateway::Config {
            listen: crate::stack::ANY_PORT,
            public_url: "http://127.0.0.1".to_owned(),
            registry: None,
            search: None,
            redis: Some(gateway::RedisConfig { url: self.redis().into() }),
            access: self.signer(),
            operator_token: Some(OPERATOR.into()),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            telemetry: Telemetry::default(),
        }
    }
}

/// Several ways to replicas of one service as one way, each taken in its turn.
pub(crate) fn in_turn(ways: Vec<Transport>) -> Transport {
    let turn = Arc::new(AtomicUsize::new(0));
    let ways: Arc<[Transport]> = ways.into();
    BoxCloneSyncService::new(tower::service_fn(move |request| {
        let turn = turn.fetch_add(1, Ordering::Relaxed);
        ways[turn % ways.len()].clone().oneshot(request)
    }))
}

pub(crate) fn remote(address: std::net::SocketAddr) -> Transport {
    transport::remote(format!("http://{address}").parse().unwrap())
}

fn database(pool: &PgPool) -> DatabaseConfig {
    let url = pool.connect_options().to_url_lossy().to_string();
    let connections = std::num::NonZeroU32::new(8).unwrap();
    DatabaseConfig { connections, ..DatabaseConfig::at(url.into()) }
}

async fn embedder(model: Model) -> Arc<dyn Embedder> {
    static LOCAL: OnceCell<Arc<dyn Embedder>> = OnceCell::const_new();
    match model {
        Model::WordHashes => Arc::new(WordHashes),
        Model::Local => {
            let local = EmbedderConfig::Local { folder: environment::model_dir() };
            LOCAL.get_or_try_init(|| local.open()).await.unwrap().clone()
        }
    }
}

/// Opens the store, once a machine that was switched off has let go of it.
async fn store(folder: &Path, embedder: &dyn Embedder) -> EdgeStore {
    let began = std::time::Instant::now();
    loop {
        match EdgeStore::open(folder, VectorKind::of(embedder)).await {
            Err(Error::InUse(_)) if began.elapsed() < LETTING_GO => {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            opened => return opened.unwrap(),
        }
    }
}
