//! The model itself: tokens in, unit vectors out. One set of weights serves every thread.
use std::path::Path;

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use tokenizers::{Tokenizer, TruncationParams};

use super::files;
use crate::embed::{Error, normalize};

/// The model was trained on texts of up to this many tokens; what comes after is not looked at.
const MAX_TOKENS: usize = 256;

/// The tokens of one text.
pub(super) type Tokens = Vec<u32>;

pub(super) struct Model {
    bert: BertModel,
    tokenizer: Tokenizer,
}

impl Model {
    pub(super) fn load(folder: &Path) -> Result<Self, Error> {
        let config: Config =
            serde_json::from_slice(&files::CONFIG.read(folder)?).map_err(failed)?;
        let tokenizer = tokenizer(&files::TOKENIZER.read(folder)?)?;
        // The file's bytes are gone once the tensors are made of them.
        let weights = files::WEIGHTS.read(folder)?;
        let weights = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu);
        let bert = BertModel::load(weights.map_err(failed)?, &config).map_err(failed)?;
        Ok(Self { bert, tokenizer })
    }

    pub(super) fn tokens(&self, text: &str) -> Result<Tokens, Error> {
        let encoding = self.tokenizer.encode_fast(text, true).map_err(failed)?;
        Ok(encoding.get_ids().to_vec())
    }

    /// The mean over the tokens of each text, padding left out, made one long.
    pub(super) fn embed(&self, texts: &[Tokens]) -> Result<Vec<Vec<f32>>, Error> {
        let mut vectors = self.forward(texts).map_err(failed)?;
        for vector in &mut vectors {
            normalize(vector);
        }
        Ok(vectors)
    }

    fn forward(&self, texts: &[Tokens]) -> candle_core::Result<Vec<Vec<f32>>> {
        let width = texts.iter().map(Vec::len).max().unwrap_or(0);
        let padded = |fill: fn(u32) -> u32| {
            let row = move |tokens: &Tokens| {
                let padding = width - tokens.len();
                tokens
                    .iter()
                    .map(move |token| fill(*token))
                    .chain(std::iter::repeat_n(0, padding))
                    .collect::<Vec<_>>()
            };
            let rows: Vec<u32> = texts.iter().flat_map(row).collect();
            Tensor::from_vec(rows, (texts.len(), width), &Device::Cpu)
        };
        let (ids, mask) = (padded(|token| token)?, padded(|_| 1)?);
        let hidden = self.bert.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
        let mask = mask.to_dtype(DType::F32)?.unsqueeze(2)?;
        hidden.broadcast_mul(&mask)?.sum(1)?.broadcast_div(&mask.sum(1)?)?.to_vec2()
    }
}

fn tokenizer(json: &[u8]) -> Result<Tokenizer, Error> {
    let mut tokenizer = Tokenizer::from_bytes(json).map_err(failed)?;
    let truncation = TruncationParams { max_length: MAX_TOKENS, ..TruncationParams::default() };
    tokenizer.with_padding(None);
    tokenizer.with_truncation(Some(truncation)).map_err(failed)?;
    Ok(tokenizer)
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes values")]
fn failed(error: impl ToString) -> Error {
    Error::Model(error.to_string())
}
