//! The demo organization: made in an empty database, and shown at every start.
use std::{fs, path::Path, time::Duration};

use access::{Audience, Caller, Scopes, SignerSettings};
use anyhow::{Context, bail};
use clock::Clock;
use contract::{
    registry::{
        CreateKeyRequest, FilePiece, ImportHeader, ImportOutcome, ImportSkillsRequest,
        ImportSkillsResponse, Indexing, UploadFormat, import_skills_request::Part,
        key_service_client::KeyServiceClient, skill_service_client::SkillServiceClient,
    },
    transport::Transport,
};
use futures::stream;
use registry::NewOrganization;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use tonic::{Request, metadata::MetadataValue};

use crate::{Config, Demo, say, secrets};

/// The demo's file: how to connect.
#[derive(Debug, Serialize, Deserialize)]
struct Connect {
    url: String,
    mcp: String,
    org_mcp: String,
    keys: Keys,
    operator_token: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Keys {
    owner: String,
    skills_read: String,
}

/// The demo's tag, so that `?tag=prod` has something to show.
const TAG: &str = "prod";
const PIECE: usize = 1024 * 1024;
/// How long the import may take.
const PATIENCE: Duration = Duration::from_mins(5);

/// Makes the demo where the database is empty, then prints how to connect.
pub(crate) async fn show(
    config: &Config,
    demo: &Demo,
    registry: &Transport,
    operator: &SecretString,
) -> anyhow::Result<()> {
    let database = config.database().connect().await.context("connecting to Postgres")?;
    let is_empty = registry::is_empty(&database).await?;
    if is_empty {
        let keys = make(config, demo, registry, &database).await?;
        write(config, demo, operator, keys)?;
    }
    let kept = fs::read_to_string(&demo.file).ok();
    let kept = kept.and_then(|text| serde_json::from_str::<Connect>(&text).ok());
    match kept {
        Some(kept) => print(&write(config, demo, operator, kept.keys)?),
        None => print_without_keys(config, demo),
    }
    database.close().await;
    Ok(())
}

async fn make(
    config: &Config,
    demo: &Demo,
    registry: &Transport,
    database: &database::Database,
) -> anyhow::Result<Keys> {
    say("making the demo organization `acme` …");
    let new = NewOrganization {
        slug: "acme".to_owned(),
        name: "Acme".to_owned(),
        workspace: "main".to_owned(),
    };
    let created = registry::create_organization(database, &Clock::default(), new).await?;
    let owner = Caller {
        org: created.org(),
        workspace: created.workspace(),
        member: None,
        key: Some(created.key.id()),
        scopes: Scopes::every(),
    };
    let signer = SignerSettings { signing_key_file: config.private_key() };
    let token = signer.signer(Clock::default())?.token(&owner, Audience::Registry)?;
    let bearer = MetadataValue::try_from(format!("Bearer {token}"))?;
    let skills_read = make_key(registry, &bearer).await?;
    say("importing the demo skills …");
    report(&import(demo, registry, &bearer).await?)?;
    Ok(Keys { owner: created.key.reveal(), skills_read })
}

type Bearer = MetadataValue<tonic::metadata::Ascii>;

fn request<M>(bearer: &Bearer, message: M) -> Request<M> {
    let mut request = Request::new(message);
    request.set_timeout(PATIENCE);
    request.metadata_mut().insert("authorization", bearer.clone());
    request
}

async fn make_key(registry: &Transport, bearer: &Bearer) -> anyhow::Result<String> {
    let asked = CreateKeyRequest {
        name: "skills-read".to_owned(),
        scopes: vec!["skills:read".to_owned()],
        ..CreateKeyRequest::default()
    };
    let mut keys = KeyServiceClient::new(registry.clone());
    let made = keys.create_key(request(bearer, asked)).await.context("making the demo's key")?;
    Ok(made.into_inner().secret)
}

async fn import(
    demo: &Demo,
    registry: &Transport,
    bearer: &Bearer,
) -> anyhow::Result<ImportSkillsResponse> {
    let header = ImportHeader {
        format: UploadFormat::Files.into(),
        dry_run: false,
        tag: Some(TAG.to_owned()),
    };
    let mut messages = vec![ImportSkillsRequest { part: Some(Part::Header(header)) }];
    add_folder(&demo.skills, &demo.skills, &mut messages)?;
    let mut skills = SkillServiceClient::new(registry.clone());
    let answer = skills.import_skills(request(bearer, stream::iter(messages))).await;
    Ok(answer.context("importing the demo skills")?.into_inner())
}

fn add_folder(
    root: &Path,
    folder: &Path,
    messages: &mut Vec<ImportSkillsRequest>,
) -> anyhow::Result<()> {
    let reading = || format!("reading `{}`", folder.display());
    for entry in fs::read_dir(folder).with_context(reading)? {
        let path = entry.with_context(reading)?.path();
        if path.is_dir() {
            add_folder(root, &path, messages)?;
            continue;
        }
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        let data = fs::read(&path).with_context(|| format!("reading `{}`", path.display()))?;
        messages.extend(pieces(&name, &data));
    }
    Ok(())
}

/// A file in pieces; an empty one is one empty piece.
fn pieces(path: &str, data: &[u8]) -> impl Iterator<Item = ImportSkillsRequest> {
    let (first, rest) = data.split_at(data.len().min(PIECE));
    let all = std::iter::once((first, true)).chain(rest.chunks(PIECE).map(|piece| (piece, false)));
    all.map(|(data, starts)| {
        let piece = FilePiece { path: path.to_owned(), data: data.to_vec(), starts };
        ImportSkillsRequest { part: Some(Part::Piece(piece)) }
    })
}

fn report(answer: &ImportSkillsResponse) -> anyhow::Result<()> {
    for skill in &answer.skills {
        if skill.outcome() == ImportOutcome::Refused {
            let why: Vec<_> = skill.reasons.iter().map(|reason| &*reason.message).collect();
            bail!("the demo skill `{}` is refused: {}", skill.folder, why.join("; "));
        }
    }
    let pending = match answer.indexing() {
        Indexing::Pending => "; some cannot be found yet",
        Indexing::Done | Indexing::Unspecified => "",
    };
    say(&format!("{} demo skills are in{pending}", answer.skills.len()));
    Ok(())
}

fn write(
    config: &Config,
    demo: &Demo,
    operator: &SecretString,
    keys: Keys,
) -> anyhow::Result<Connect> {
    let url = config.url();
    let connect = Connect {
        mcp: format!("{url}/w/main"),
        org_mcp: format!("{url}/mcp"),
        url,
        keys,
        operator_token: operator.expose_secret().to_owned(),
    };
    let text = serde_json::to_string_pretty(&connect).context("writing the demo's file")?;
    secrets::write(&demo.file, &format!("{text}\n"))?;
    Ok(connect)
}

fn print(connect: &Connect) {
    let Connect { url, mcp, org_mcp, keys, operator_token: _ } = connect;
    let Keys { owner, skills_read: key } = keys;
    say(&format!(
        r#"
Loadout is running. Ctrl-C stops it.

  address        {url}
  workspace      {mcp}
  organization   {org_mcp}
  owner's key    {owner}
  skills:read    {key}

Connect a client:

  Claude Code    claude mcp add --transport http loadout {mcp} --header "Authorization: Bearer {key}"

  VS Code        code --add-mcp '{{"name":"loadout","type":"http","url":"{mcp}","headers":{{"Authorization":"Bearer {key}"}}}}'

  curl           curl -s {url}/v1/tools/find_skills -H "Authorization: Bearer {key}" -H "Content-Type: application/json" -d '{{"query":"add a column without downtime"}}'
"#
    ));
}

fn print_without_keys(config: &Config, demo: &Demo) {
    say(&format!(
        "\nLoadout is running on {}. Ctrl-C stops it.\n\nThe database holds organizations already, and \
         keys are shown only once: `{}` is not there to show them again. Use a key that you kept.",
        config.url(),
        demo.file.display(),
    ));
}
