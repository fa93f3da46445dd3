//! Serving: gRPC or HTTP on a socket, or gRPC inside this process, each with the same things around it.
use std::net::SocketAddr;

use anyhow::Context;
use axum::{Json, Router, extract::State, middleware::from_fn, routing::get};
use http::StatusCode;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tonic::service::Routes;

use crate::{Process, around, telemetry};

/// A service's routes, on a socket of their own.
#[derive(Debug)]
pub struct BoundRoutes {
    /// Where they are served.
    pub address: SocketAddr,
}

impl Process {
    /// The routes as another part of this process calls them: no socket, the same things around them.
    #[must_use]
    pub fn wrapped(&self, routes: Routes) -> Routes {
        Routes::from(routes.into_axum_router().layer(from_fn(around::grpc)))
    }

    /// Serves gRPC, with its health and reflection services, and `/healthz`, `/readyz` and `/metrics` over
    /// HTTP on the same socket.
    pub async fn serve_grpc(
        &self,
        listen: SocketAddr,
        routes: Routes,
        description: &'static [u8],
    ) -> anyhow::Result<BoundRoutes> {
        let listener = TcpListener::bind(listen).await;
        let listener = listener.with_context(|| format!("listening on `{listen}`"))?;
        let (status, health) = tonic_health::server::health_reporter();
        status.set_service_status("", tonic_health::ServingStatus::Serving).await;
        let reflection = tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(description)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
            .build_v1()?;
        let all = self.wrapped(routes).add_service(health).add_service(reflection);
        let pages = all.into_axum_router().merge(self.status_pages());
        let stopping = self.stopping();
        self.serve_task(async move {
            stopping.cancelled().await;
            status.set_service_status("", tonic_health::ServingStatus::NotServing).await;
        });
        self.serve(listener, pages)
    }

    /// Serves HTTP, with `/healthz`, `/readyz` and `/metrics` beside the router's own pages.
    pub async fn serve_http(
        &self,
        listen: SocketAddr,
        router: Router,
    ) -> anyhow::Result<BoundRoutes> {
        let listener = TcpListener::bind(listen).await;
        let listener = listener.with_context(|| format!("listening on `{listen}`"))?;
        self.serve(listener, self.http(router))
    }

    /// The router as it is served over HTTP: with the status pages, and what stands around each request.
    pub fn http(&self, router: Router) -> Router {
        router.merge(self.status_pages()).layer(from_fn(around::http))
    }

    fn serve(&self, listener: TcpListener, router: Router) -> anyhow::Result<BoundRoutes> {
        let address = listener.local_addr().context("reading the address listened on")?;
        let process = self.clone();
        self.serve_task(async move {
            let stopping = process.stopping().cancelled_owned();
            let listener = axum::serve::ListenerExt::tap_io(listener, |stream| {
                // Answers are small and whole: waiting to fill a packet only delays them.
                let _ = stream.set_nodelay(true);
            });
            let served = axum::serve(listener, router).with_graceful_shutdown(stopping).await;
            if let Err(error) = served {
                tracing::error!(%address, %error, "stopped serving");
            }
            process.stop();
        });
        Ok(BoundRoutes { address })
    }

    fn status_pages(&self) -> Router {
        Router::new()
            .route("/healthz", get(async || Json(json!({ "status": "ok" }))))
            .route("/readyz", get(readyz))
            .route("/metrics", get(metrics))
            .with_state(self.clone())
    }
}

async fn readyz(State(process): State<Process>) -> (StatusCode, Json<Value>) {
    let mut missing: Map<String, Value> = Map::new();
    if process.stopping().is_cancelled() {
        missing.insert("process".to_owned(), json!("stopping"));
    }
    for (name, reason) in process.readiness().missing().await {
        tracing::warn!(check = name, reason, "not ready");
        // Why is the operator's to know, from the log.
        missing.insert(name.to_owned(), json!("not ready"));
    }
    if missing.is_empty() {
        return (StatusCode::OK, Json(json!({ "status": "ready" })));
    }
    (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "status": "not ready", "missing": missing })))
}

async fn metrics() -> Result<String, StatusCode> {
    telemetry::prometheus_text().map_err(|error| {
        tracing::error!(%error, "cannot print the metrics");
        StatusCode::INTERNAL_SERVER_ERROR
    })
}
