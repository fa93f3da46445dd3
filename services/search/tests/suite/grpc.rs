//! The wire of search: who may call what, what is refused, and that no organization sees another.
use std::sync::Arc;

use crate::team::{self, Team};
use access::{Audience, Caller, Door, Scope, Signer, SignerSettings, VerifierSettings};
use clock::Clock;
use contract::{
    search::{
        Document, FindDocumentsRequest, GetIndexRequest, Hit, Kind, PutSubjectsRequest,
        PutSubjectsResponse, Subject, search_service_client::SearchServiceClient,
    },
    transport::{self, Transport},
};
use ids::{MemberId, OrgId, RevisionId, SkillId};
use search::{
    embed::{self, Embedder},
    engine::Engine,
    index::{EdgeStore, VectorKind},
};
use tempfile::TempDir;
use tonic::{Code, Request, Status};

/// Something that is done to a subject.
type Change = fn(&mut Subject);

/// A text is near another that begins with the same letter.
#[derive(Debug)]
struct FirstLetter;

#[async_trait::async_trait]
impl Embedder for FirstLetter {
    fn name(&self) -> &'static str {
        "first letter"
    }

    fn dimensions(&self) -> usize {
        26
    }

    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, embed::Error> {
        let letter = text.trim().bytes().next().unwrap_or(b'a').to_ascii_lowercase() - b'a';
        Ok((0..26).map(|at| if at == letter { 1.0 } else { 0.0 }).collect())
    }

    async fn embed_documents(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, embed::Error> {
        let vectors = texts.iter().map(|text| self.embed_query(text));
        futures::future::try_join_all(vectors).await
    }
}

struct Service {
    client: SearchServiceClient<Transport>,
    signer: Signer,
    _folder: TempDir,
}

impl Service {
    async fn start() -> Self {
        let folder = team::folder();
        let (private, public) = (folder.path().join("key"), folder.path().join("key.pub"));
        access::make_signing_key(&private, &public).unwrap();
        let signer = SignerSettings { signing_key_file: private }.signer(Clock::default()).unwrap();
        let trusted = VerifierSettings { trusted_key_files: vec![public] };
        let door = Door::new(trusted.verifier(Audience::Search, Clock::default()).unwrap());
        let kind = VectorKind::of(&FirstLetter);
        let store = EdgeStore::open(&folder.path().join("index"), kind).await.unwrap();
        let engine = Engine::new(Arc::new(FirstLetter), Arc::new(store));
        let routes = search::routes_on(engine, door);
        let client = SearchServiceClient::new(transport::local(routes));
        Self { client, signer, _folder: folder }
    }

    fn request<M>(&self, caller: &Caller, message: M) -> Request<M> {
        let token = self.signer.token(caller, Audience::Search).unwrap();
        let mut request = Request::new(message);
        let header = format!("Bearer {token}").parse().unwrap();
        request.metadata_mut().insert("authorization", header);
        request
    }

    async fn put(&self, org: OrgId, subjects: Vec<Subject>) -> Result<PutSubjectsResponse, Status> {
        let caller = Caller::service(org, Scope::SearchWrite);
        let request = self.request(&caller, PutSubjectsRequest { subjects });
        self.client.clone().put_subjects(request).await.map(tonic::Response::into_inner)
    }

    async fn find(
        &self,
        caller: &Caller,
        message: FindDocumentsRequest,
    ) -> Result<Vec<Hit>, Status> {
        let request = self.request(caller, message);
        let answer = self.client.clone().find_documents(request).await?;
        Ok(answer.into_inner().hits)
    }

    /// The reason for which a put refuses its one subject.
    async fn refusal(&self, subject: Subject) -> String {
        let answer = self.put(OrgId::new(), vec![subject]).await.unwrap();
        assert_eq!(answer.refusals.len(), 1);
        answer.refusals[0].reason.clone()
    }
}

fn reader(team: Team) -> Caller {
    let scopes = [Scope::SkillsRead].into_iter().collect();
    Caller { workspace: team.workspace, scopes, ..Caller::for_nobody(Scope::SkillsRead) }
        .in_org(team.org)
}

trait InOrg {
    fn in_org(self, org: OrgId) -> Self;
}

impl InOrg for Caller {
    fn in_org(self, org: OrgId) -> Self {
        Self { org, ..self }
    }
}

fn query(text: &str) -> FindDocumentsRequest {
    FindDocumentsRequest {
        kind: Kind::Skill.into(),
        query: text.into(),
        label: String::new(),
        limit: 10,
    }
}

fn skill(team: Team, text: &str) -> Subject {
    let document = Document {
        document_id: RevisionId::new().to_string(),
        labels: vec!["latest".into()],
        names: vec!["A-Name".into()],
        text: text.into(),
    };
    Subject {
        kind: Kind::Skill.into(),
        subject_id: SkillId::new().to_string(),
        sequence: 1,
        workspace_id: team.workspace.to_string(),
        member_id: String::new(),
        documents: vec![document],
    }
}

fn many<T: Clone>(item: &T, count: usize) -> Vec<T> {
    vec![item.clone(); count]
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_put_is_found_with_its_cosine() {
    let (service, team) = (Service::start().await, Team::new());
    let (apple, berry) = (skill(team, "apple"), skill(team, "berry"));
    let answer = service.put(team.org, vec![apple.clone(), berry]).await.unwrap();
    assert!(answer.refusals.is_empty());

    let hits = service.find(&reader(team), query("avocado")).await.unwrap();
    assert_eq!(hits.len(), 2);
    assert_eq!(hits[0].subject_id, apple.subject_id);
    assert_eq!(hits[0].document_id, apple.documents[0].document_id);
    assert!((hits[0].score - 1.0).abs() < 1e-6 && hits[1].score.abs() < 1e-6);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_exact_name_comes_first_whatever_its_case() {
    let (service, team) = (Service::start().await, Team::new());
    let mut named = skill(team, "zebra");
    named.documents[0].names = vec!["Berry-Picker".into()];
    service
        .put(team.org, vec![skill(team, "berry picker berry-picker"), named.clone()])
        .await
        .unwrap();

    let hits = service.find(&reader(team), query(" berry-PICKER ")).await.unwrap();
    assert_eq!(hits[0].subject_id, named.subject_id);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_organization_workspace_or_member_finds_nothing() {
    let (service, team, owner) = (Service::start().await, Team::new(), MemberId::new());
    let personal = Subject { member_id: owner.to_string(), ..skill(team, "apple") };
    service.put(team.org, vec![personal]).await.unwrap();

    let owns = Caller { member: Some(owner), ..reader(team) };
    assert_eq!(service.find(&owns, query("apple")).await.unwrap().len(), 1);
    let elsewhere = Caller { workspace: Team::new().workspace, ..owns.clone() };
    let strangers = [
        owns.clone().in_org(OrgId::new()),
        elsewhere,
        reader(team),
        Caller { member: Some(MemberId::new()), ..owns },
    ];
    for stranger in strangers {
        assert!(service.find(&stranger, query("apple")).await.unwrap().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_chooses_among_the_documents() {
    let (service, team) = (Service::start().await, Team::new());
    let mut tagged = skill(team, "apple");
    tagged.documents[0].labels = vec!["prod".into()];
    service.put(team.org, vec![tagged]).await.unwrap();

    let labelled = FindDocumentsRequest { label: "prod".into(), ..query("apple") };
    assert_eq!(service.find(&reader(team), labelled).await.unwrap().len(), 1);
    assert!(service.find(&reader(team), query("apple")).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_needs_its_scope() {
    let (service, team) = (Service::start().await, Team::new());
    let mut client = service.client.clone();
    let wrong = Caller::service(team.org, Scope::OrgAdmin);
    let put = client.put_subjects(service.request(&wrong, PutSubjectsRequest::default())).await;
    let find = client.find_documents(service.request(&wrong, query("x"))).await;
    let index = client.get_index(service.request(&wrong, GetIndexRequest {})).await;
    let codes = [put.unwrap_err().code(), find.unwrap_err().code(), index.unwrap_err().code()];
    assert_eq!(codes, [Code::PermissionDenied; 3]);
    let reader_puts = service.request(&reader(team), PutSubjectsRequest::default());
    assert_eq!(client.put_subjects(reader_puts).await.unwrap_err().code(), Code::PermissionDenied);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_token_or_with_one_for_another_service_nobody_comes_in() {
    let (service, team) = (Service::start().await, Team::new());
    let mut client = service.client.clone();
    let bare = client.find_documents(query("x")).await.unwrap_err();
    let token = service.signer.token(&reader(team), Audience::Registry).unwrap();
    let mut elsewhere = Request::new(query("x"));
    elsewhere.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    let elsewhere = client.find_documents(elsewhere).await.unwrap_err();
    assert_eq!([bare.code(), elsewhere.code()], [Code::Unauthenticated; 2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_has_1_to_8000_characters() {
    let (service, team) = (Service::start().await, Team::new());
    let ask = async |length: usize| {
        service.find(&reader(team), query(&"ü".repeat(length).replacen('ü', "u", 1))).await
    };
    ask(1).await.unwrap();
    ask(8_000).await.unwrap();
    let long = ask(8_001).await.unwrap_err();
    let empty = ask(0).await.unwrap_err();
    assert_eq!(long.message(), "`query` has 8001 characters, allowed are 1 to 8000");
    assert_eq!(empty.message(), "`query` has 0 characters, allowed are 1 to 8000");
    assert_eq!([long.code(), empty.code()], [Code::InvalidArgument; 2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_is_1_to_200() {
    let (service, team) = (Service::start().await, Team::new());
    let ask = async |limit| {
        service.find(&reader(team), FindDocumentsRequest { limit, ..query("x") }).await
    };
    ask(1).await.unwrap();
    ask(200).await.unwrap();
    for wrong in [0, 201] {
        let expected = format!("`limit` has {wrong} documents, allowed are 1 to 200");
        assert_eq!(ask(wrong).await.unwrap_err().message(), expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_has_at_most_128_characters() {
    let (service, team) = (Service::start().await, Team::new());
    let ask = async |length: usize| {
        let label = "l".repeat(length);
        service.find(&reader(team), FindDocumentsRequest { label, ..query("x") }).await
    };
    ask(128).await.unwrap();
    let error = ask(129).await.unwrap_err();
    assert_eq!(error.message(), "`label` has 129 characters, allowed are 0 to 128");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_without_a_kind_is_refused() {
    let (service, team) = (Service::start().await, Team::new());
    for kind in [0, 99] {
        let error = service.find(&reader(team), FindDocumentsRequest { kind, ..query("x") }).await;
        assert_eq!(error.unwrap_err().code(), Code::InvalidArgument);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_put_has_at_most_256_subjects() {
    let (service, team) = (Service::start().await, Team::new());
    let subject = skill(team, "apple");
    service.put(team.org, many(&subject, 256)).await.unwrap();
    let error = service.put(team.org, many(&subject, 257)).await.unwrap_err();
    assert_eq!(error.message(), "`subjects` has 257 subjects, allowed are 0 to 256");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_poison_subject_is_refused_and_the_others_are_indexed() {
    let (service, team) = (Service::start().await, Team::new());
    let poison = Subject { workspace_id: "nowhere".into(), ..skill(team, "apple") };
    let good = skill(team, "apple");
    let answer = service.put(team.org, vec![poison.clone(), good.clone()]).await.unwrap();

    assert_eq!(answer.refusals.len(), 1);
    assert_eq!(answer.refusals[0].subject_id, poison.subject_id);
    assert!(answer.refusals[0].reason.contains("`nowhere`"));
    let hits = service.find(&reader(team), query("apple")).await.unwrap();
    assert_eq!(hits.iter().map(|hit| &hit.subject_id).collect::<Vec<_>>(), [&good.subject_id]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subject_that_cannot_be_indexed_is_told_why() {
    let (service, team) = (Service::start().await, Team::new());
    let good = skill(team, "apple");
    let bad = |change: Change| {
        let mut subject = good.clone();
        change(&mut subject);
        subject
    };
    let cases: [(Subject, &str); 6] = [
        (bad(|s| s.kind = 0), "`kind` is missing"),
        (bad(|s| s.subject_id = "skl_1".into()), "`skl_1` is not an id"),
        (bad(|s| s.member_id = "me".into()), "`member_id`"),
        (bad(|s| s.documents[0].document_id = String::new()), "`` is not an id"),
        (bad(|s| s.documents[0].text = " \n".into()), "has no text"),
        (bad(|s| s.documents.push(s.documents[0].clone())), "is there twice"),
    ];
    for (subject, reason) in cases {
        let refusal = service.refusal(subject).await;
        assert!(refusal.contains(reason), "{refusal}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subject_of_the_largest_size_is_indexed_and_one_more_of_anything_refused() {
    let (service, team) = (Service::start().await, Team::new());
    let mut largest = skill(team, &"apple ".repeat(10_923)[..65_536]);
    largest.documents[0].labels = many(&"l".repeat(128), 64);
    largest.documents[0].names = many(&"n".repeat(256), 16);
    let more = (1..64).map(|_| skill(team, "apple").documents.remove(0));
    largest.documents.extend(more);
    assert!(service.put(team.org, vec![largest.clone()]).await.unwrap().refusals.is_empty());

    let cases: [(Change, &str); 6] = [
        (|s| s.documents.push(s.documents[0].clone()), "`documents` has 65"),
        (|s| s.documents[0].labels.push("l".into()), "`labels` has 65"),
        (|s| s.documents[0].names.push("n".into()), "`names` has 17"),
        (|s| s.documents[0].labels[0].push('l'), "`label` has 129"),
        (|s| s.documents[0].names[0].push('n'), "`name` has 257"),
        (|s| s.documents[0].text.push('a'), "`text` has 65537"),
    ];
    for (enlarge, reason) in cases {
        let mut larger = largest.clone();
        enlarge(&mut larger);
        let refusal = service.refusal(larger).await;
        assert!(refusal.starts_with(reason), "{refusal}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_index_says_what_it_is() {
    let (service, team) = (Service::start().await, Team::new());
    let put = service.put(team.org, vec![skill(team, "apple")]).await.unwrap();
    let caller = Caller::service(team.org, Scope::SearchWrite);
    let request = service.request(&caller, GetIndexRequest {});
    let index = service.client.clone().get_index(request).await.unwrap().into_inner();
    assert_eq!((index.model.as_str(), index.dimensions), ("first letter", 26));
    assert_eq!(index.index_id, put.index_id);
    assert!(index.index_id.starts_with("idx_"));
}
