//! Search, asked through its public parts.
mod edge;
mod grpc;
mod local_model;
mod openai;
mod quality;
mod store;
mod team;
