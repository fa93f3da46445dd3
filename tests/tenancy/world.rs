//! Two organizations that look alike: one tries, the other is its prey.
use std::collections::BTreeSet;

use access::{Audience, Caller, KeyText, Scopes};
use contract::transport::Transport;
use ids::KeyId;
use serde_json::{Value, json};
use tests::{Client, Dice, Organization, Skill, Stack, token::Tokens};

/// What stands in everything that the trying organization has, and in everything that its prey has.
pub(super) const OWN: &str = "acme-has-this";
pub(super) const SECRET: &str = "bravo-hides-this";

/// What a try is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thing {
    /// The id of anything.
    Id,
    /// A slug that only the prey has.
    PreySlug,
    /// A slug that both have.
    SharedSlug,
    /// The slug of a workspace that only the prey has.
    Workspace,
    /// A cursor of one of the prey's lists.
    Cursor,
    /// Words that only the prey's skills hold.
    Words,
    /// A caller token for the registry that says it is the prey's.
    RegistryToken,
    /// The same for search.
    SearchToken,
    /// A key that is nearly the prey's.
    Key,
}

pub(super) struct World {
    pub(super) own: Organization,
    pub(super) prey: Organization,
    tokens: Tokens,
    ids: Vec<String>,
    cursors: Vec<String>,
}

/// Whoever tries, with all its ways in.
pub(super) struct Attacker {
    pub(super) client: Client,
    pub(super) registry: Transport,
    pub(super) search: Transport,
    pub(super) tokens: Tokens,
    pub(super) caller: Caller,
}

impl Attacker {
    pub(super) fn new(stack: &Stack, world: &World) -> Self {
        Self {
            client: world.own.owner.clone(),
            registry: stack.registry(),
            search: stack.search(),
            tokens: stack.tokens(),
            caller: caller(&world.own),
        }
    }
}

fn caller(of: &Organization) -> Caller {
    Caller {
        org: of.id.parse().unwrap(),
        workspace: of.workspace_id.parse().unwrap(),
        member: None,
        key: Some(of.owner_key_id.parse().unwrap()),
        scopes: Scopes::every(),
    }
}

/// Fills an organization; `mark` stands in all that it has.
async fn fill(organization: &Organization, mark: &str) {
    let skill = |slug: &str| {
        let says = format!("Says {mark}.\n");
        let skill = Skill::new(slug).described(&format!("Does {slug}, {mark}.")).saying(&says);
        skill
            .with("references/notes.md", says)
            .with("data.bin", [mark.as_bytes(), &[0xff]].concat())
    };
    let shared = ["deploy", "tidy", "query-tuning"].map(skill);
    organization.owner.import_as("prod", &shared).await;
    organization.owner.import(&shared.map(|skill| skill.with("second.md", mark))).await;
    let asked = json!({ "name": mark, "scopes": ["skills:read"] });
    organization.key_that(asked).await;
}

async fn first_cursor(client: &Client, path: &str) -> String {
    let page = client.get(path).await.ok();
    page["next_cursor"].as_str().unwrap().to_owned()
}

impl World {
    pub(super) async fn make(stack: &Stack) -> Self {
        let operator = stack.operator();
        let own = Organization::make(&operator, "acme", "Acme").await;
        let prey = Organization::make(&operator, "bravo", "Acme").await;
        fill(&own, OWN).await;
        fill(&prey, SECRET).await;
        let only = ["secret-plan", "secret-list"].map(|slug| {
            Skill::new(slug).described(&format!("Plans xylophone smuggling, {SECRET}."))
        });
        prey.owner.import(&only).await;
        let lab = json!({ "slug": "secret-lab", "name": SECRET });
        prey.owner.post("/v1/workspaces", &lab).await.created();
        let mut ids = BTreeSet::from([prey.id.clone()]);
        for path in ["/v1/skills", "/v1/keys", "/v1/workspaces", "/v1/skills/deploy"] {
            collect_ids(&prey.owner.get(path).await.ok(), &mut ids);
        }
        let mut cursors = Vec::new();
        for path in
            ["skills?limit=1", "skills?limit=1&tag=prod", "keys?limit=1", "workspaces?limit=1"]
        {
            cursors.push(first_cursor(&prey.owner, &format!("/v1/{path}")).await);
        }
        Self { own, prey, tokens: stack.tokens(), ids: ids.into_iter().collect(), cursors }
    }

    /// Something of the prey's.
    pub(super) fn target(&self, thing: Thing, dice: &mut Dice) -> String {
        let of = |all: &[&str], dice: &mut Dice| (*dice.pick(all)).to_owned();
        match thing {
            Thing::Id => dice.pick(&self.ids).clone(),
            Thing::PreySlug => of(&["secret-plan", "secret-list"], dice),
            Thing::SharedSlug => of(&["deploy", "tidy", "query-tuning"], dice),
            Thing::Workspace => "secret-lab".to_owned(),
            Thing::Cursor => dice.pick(&self.cursors).clone(),
            Thing::Words => of(&["secret-plan", "xylophone smuggling", SECRET, "deploy"], dice),
            Thing::RegistryToken => self.false_token(Audience::Registry, dice),
            Thing::SearchToken => self.false_token(Audience::Search, dice),
            Thing::Key => self.false_key(dice),
        }
    }

    /// Things of that sort that do not exist: of each form that there is.
    pub(super) fn fakes(&self, thing: Thing, dice: &mut Dice) -> Vec<String> {
        let fake = match thing {
            Thing::Id => {
                let kinds: BTreeSet<&str> = self.ids.iter().map(|id| &id[..4]).collect();
                return kinds.iter().map(|kind| format!("{kind}{}", dice.digits())).collect();
            }
            Thing::PreySlug => "nobodys-plan".to_owned(),
            Thing::SharedSlug => "deploy".to_owned(),
            Thing::Workspace => "nobodys-lab".to_owned(),
            Thing::Cursor => "AAAAAAAAAAAAAAAAAAAAAAAA".to_owned(),
            Thing::Words => "nothing".to_owned(),
            Thing::RegistryToken | Thing::SearchToken => "no-token-at-all".to_owned(),
            Thing::Key => KeyText::make(KeyId::new()).unwrap().reveal(),
        };
        vec![fake]
    }

    fn false_token(&self, audience: Audience, dice: &mut Dice) -> String {
        let (own, prey) = (caller(&self.own), caller(&self.prey));
        let other = match audience {
            Audience::Registry => Audience::Search,
            Audience::Search => Audience::Registry,
        };
        let token = match dice.below(6) {
            0 => self.tokens.expired(&prey, audience),
            1 => self.tokens.forged(&prey, audience),
            2 => self.tokens.renamed(&prey, audience),
            3 => self.tokens.spliced(&prey, &own, audience),
            4 => self.tokens.good(&prey, other),
            _ => self.tokens.good(&own, other),
        };
        token.to_string()
    }

    /// The prey's key with its secret changed, or with ours.
    fn false_key(&self, dice: &mut Dice) -> String {
        let parts: Vec<&str> = self.prey.owner.key.split('_').collect();
        let ours: Vec<&str> = self.own.owner.key.split('_').collect();
        let body = match dice.below(3) {
            0 => format!("lo_{}_{}", parts[1], ours[2]),
            1 => format!("lo_{}_{}", ours[1], parts[2]),
            _ => format!("lo_{}_{}{}", parts[1], dice.digits(), &parts[2][..16]),
        };
        format!("{body}_{:08x}", crc32(body.as_bytes()))
    }

    /// Nothing of the prey's is in an answer.
    pub(super) fn check_no_leak(&self, answer: &str, way: usize) {
        assert!(!answer.contains(SECRET), "way {way}: {answer}");
        let id = self.ids.iter().find(|id| answer.contains(&***id));
        assert_eq!(id, None, "way {way}: {answer}");
    }

    /// All that the prey can see of itself, which no try may change.
    pub(super) async fn prey_sees(&self) -> Vec<Value> {
        let owner = &self.prey.owner;
        let mut seen = Vec::new();
        for path in ["/v1/skills", "/v1/keys", "/v1/workspaces", "/v1/skills/deploy"] {
            seen.push(owner.get(path).await.ok());
        }
        for query in ["deploy", "secret-plan", "tidy"] {
            let found = owner.tool("find_skills", &json!({ "query": query })).await.ok();
            let results = found["results"].as_array().unwrap().len();
            seen.push(json!([found["results"][0], results]));
        }
        seen
    }
}

fn collect_ids(value: &Value, ids: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str() {
                    Some(id) if name == "id" || name.ends_with("_id") => {
                        ids.insert(id.to_owned());
                    }
                    _ => collect_ids(value, ids),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_ids(item, ids)),
        _ => {}
    }
}

/// CRC-32 (ISO-HDLC), as keys end with.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1)))
    })
}
