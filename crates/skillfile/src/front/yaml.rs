//! A small YAML tree that keeps the text and the line of every scalar, within tight bounds.

use std::{collections::HashMap, fmt};

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput, options};

use serde_json::{Map, Number, Value as Json};

/// The most nodes, aliases followed.
const NODES: usize = 10_000;
/// The most bytes of text, aliases followed.
const TEXT_BYTES: usize = 256 * 1024;
/// The deepest nesting, aliases followed.
const DEPTH: usize = 32;

/// A node and the line it starts on, from 1.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) line: usize,
    pub(super) value: Value,
}

/// What a node is.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Text as it was meant after YAML's quoting; `plain` if it had none.
    Scalar { text: String, plain: bool },
    /// Nodes in order.
    List(Vec<Node>),
    /// Keys and nodes in order.
    Map(Vec<(Key, Node)>),
}

/// A key of a map.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) line: usize,
    pub(super) text: String,
}

/// Why there is no tree.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) line: usize,
    pub(super) cause: Cause,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum Cause {
    #[error("{0}")]
    Syntax(String),
    #[error("the key `{key}` is there twice, first on line {first}")]
    Duplicate { key: String, first: usize },
    #[error("a key must be plain text")]
    Key,
    #[error("the tag `{0}` is not supported")]
    Tag(String),
    #[error("the alias refers to what it is part of")]
    Endless,
    #[error("a text must not hold the character U+0000")]
    Nul,
    #[error("it may have {limit} {what} with every alias followed, and has more")]
    TooComplex { limit: usize, what: &'static str },
}

/// How scalars without quotes become JSON.
#[derive(Clone, Copy)]
pub(super) enum Scalars {
    /// As text, as they were written.
    Text,
    /// As null, booleans and numbers where JSON writes them the same way, else as text.
    Typed,
}

/// Parses the first document; none if there is nothing in it.
pub(super) fn parse(text: &str) -> Result<Option<Node>, Failure> {
    let options = options! {
        emit_comments: false,
        disallow_directives: true,
        flow_nesting_limit: DEPTH,
        block_nesting_limit: DEPTH,
    };
    let parser = Parser::new_from_str_with_options(text, options);
    let mut reader = Reader { parser, anchors: HashMap::new(), nodes: 0, text_bytes: 0 };
    loop {
        match reader.next()? {
            (Event::StreamEnd, _) => return Ok(None),
            (Event::StreamStart | Event::DocumentStart(..) | Event::DocumentEnd, _) => {}
            (event, span) => {
                let root = reader.node(event, span, 1)?;
                // What follows must be well formed too.
                while !matches!(reader.next()?.0, Event::StreamEnd) {}
                return Ok(Some(root.node));
            }
        }
    }
}

impl Node {
    /// The text of a scalar; none where YAML means null.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, plain } => (!(*plain && is_null(text))).then_some(text),
            Value::List(_) | Value::Map(_) => None,
        }
    }

    /// Whether it stands for nothing.
    pub(super) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, plain: true } if is_null(text))
    }

    /// What it is, in words.
    pub(super) fn what(&self) -> &'static str {
        match &self.value {
            Value::Scalar { .. } => "a text",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }

    pub(super) fn json(&self, scalars: Scalars) -> Json {
        match &self.value {
            Value::Scalar { text, plain: true } => plain_json(text, scalars),
            Value::Scalar { text, plain: false } => Json::String(text.clone()),
            Value::List(items) => items.iter().map(|item| item.json(scalars)).collect(),
            Value::Map(pairs) => Json::Object(json_map(pairs, scalars)),
        }
    }
}

/// A map as JSON.
pub(super) fn json_map(pairs: &[(Key, Node)], scalars: Scalars) -> Map<String, Json> {
    pairs.iter().map(|(key, node)| (key.text.clone(), node.json(scalars))).collect()
}

fn plain_json(text: &str, scalars: Scalars) -> Json {
    match (scalars, text) {
        (Scalars::Typed, "true") => Json::Bool(true),
        (Scalars::Typed, "false") => Json::Bool(false),
        (_, text) if is_null(text) => Json::Null,
        (Scalars::Text, text) => Json::String(text.to_owned()),
        (Scalars::Typed, text) => match serde_json::from_str::<Number>(text) {
            // `1.10` and `1e3` are versions and names as often as numbers: JSON would change them.
            Ok(number) if number.to_string() == text => Json::Number(number),
            Ok(_) | Err(_) => Json::String(text.to_owned()),
        },
    }
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    anchors: HashMap<usize, Measured>,
    nodes: usize,
    text_bytes: usize,
}

/// A node with what it costs to copy.
#[derive(Clone)]
struct Measured {
    node: Node,
    nodes: usize,
    text_bytes: usize,
    height: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), Failure> {
        match self.parser.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(syntax(&error)),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Measured, Failure> {
        let line = span.start.line();
        let failed = |cause| Failure { line, cause };
        let anchor = event.anchor_id();
        check_tag(&event).map_err(failed)?;
        let measured = match event {
            Event::Alias(id) => return self.copy(id, depth).map_err(failed),
            Event::Scalar(text, style, _, ref tag) => {
                let plain = style == ScalarStyle::Plain && tag.is_none();
                self.charge(1, text.len(), depth).map_err(failed)?;
                scalar(line, &text, plain).map_err(failed)?
            }
            Event::SequenceStart(..) => {
                self.charge(1, 0, depth).map_err(failed)?;
                self.list(line, depth)?
            }
            Event::MappingStart(..) => {
                self.charge(1, 0, depth).map_err(failed)?;
                self.map(line, depth)?
            }
            _ => return Err(failed(Cause::Syntax("a value is expected".to_owned()))),
        };
        if let Some(id) = anchor {
            self.anchors.insert(id, measured.clone());
        }
        Ok(measured)
    }

    fn list(&mut self, line: usize, depth: usize) -> Result<Measured, Failure> {
        let mut items = Vec::new();
        let mut size = Size::default();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::SequenceEnd) {
                return Ok(size.of(Node { line, value: Value::List(items) }));
            }
            let item = self.node(event, span, depth + 1)?;
            size.add(&item);
            items.push(item.node);
        }
    }

    fn map(&mut self, line: usize, depth: usize) -> Result<Measured, Failure> {
        let mut pairs: Vec<(Key, Node)> = Vec::new();
        let mut lines: HashMap<String, usize> = HashMap::new();
        let mut size = Size::default();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                return Ok(size.of(Node { line, value: Value::Map(pairs) }));
            }
            let key = self.node(event, span, depth + 1)?;
            size.add(&key);
            let key = key_of(key.node)?;
            if let Some(first) = lines.insert(key.text.clone(), key.line) {
                let cause = Cause::Duplicate { key: key.text, first };
                return Err(Failure { line: key.line, cause });
            }
            let (event, span) = self.next()?;
            let value = self.node(event, span, depth + 1)?;
            size.add(&value);
            pairs.push((key, value.node));
        }
    }

    /// Copies an anchored node, if it may be that large.
    fn copy(&mut self, id: usize, depth: usize) -> Result<Measured, Cause> {
        let Some(target) = self.anchors.get(&id) else { return Err(Cause::Endless) };
        let (nodes, text_bytes, height) = (target.nodes, target.text_bytes, target.height);
        self.charge(nodes, text_bytes, depth + height - 1)?;
        self.anchors.get(&id).cloned().ok_or(Cause::Endless)
    }

    fn charge(&mut self, nodes: usize, text_bytes: usize, depth: usize) -> Result<(), Cause> {
        self.nodes += nodes;
        self.text_bytes += text_bytes;
        let over = |limit, what| Err(Cause::TooComplex { limit, what });
        if self.nodes > NODES {
            return over(NODES, "values");
        }
        if self.text_bytes > TEXT_BYTES {
            return over(TEXT_BYTES, "bytes of text");
        }
        if depth > DEPTH { over(DEPTH, "levels") } else { Ok(()) }
    }
}

/// What the children of a node cost to copy.
#[derive(Default)]
struct Size {
    nodes: usize,
    text_bytes: usize,
    height: usize,
}

impl Size {
    fn add(&mut self, child: &Measured) {
        self.nodes += child.nodes;
        self.text_bytes += child.text_bytes;
        self.height = self.height.max(child.height);
    }

    fn of(self, node: Node) -> Measured {
        let Self { nodes, text_bytes, height } = self;
        Measured { node, nodes: nodes + 1, text_bytes, height: height + 1 }
    }
}

fn scalar(line: usize, text: &str, plain: bool) -> Result<Measured, Cause> {
    // Neither Postgres' text nor its jsonb holds it.
    if text.contains('\0') {
        return Err(Cause::Nul);
    }
    let value = Value::Scalar { text: text.to_owned(), plain };
    Ok(Measured { node: Node { line, value }, nodes: 1, text_bytes: text.len(), height: 1 })
}

fn key_of(node: Node) -> Result<Key, Failure> {
    match node.value {
        Value::Scalar { text, .. } => Ok(Key { line: node.line, text }),
        Value::List(_) | Value::Map(_) => Err(Failure { line: node.line, cause: Cause::Key }),
    }
}

/// A tag of the core schema makes a text of its scalar; no other is understood.
fn check_tag(event: &Event<'_>) -> Result<(), Cause> {
    match event.tag() {
        Some(tag) if tag.core_suffix().is_none() => Err(Cause::Tag(tag.original())),
        Some(_) | None => Ok(()),
    }
}

fn syntax(error: &ScanError) -> Failure {
    Failure { line: error.marker().line(), cause: Cause::Syntax(error.info()) }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.cause)
    }
}
