//! Uploads on their way to the registry.
use axum::body::Body;
use bytes::Bytes;
use contract::registry::UploadFormat;
use futures::stream;
use http::{Method, Request, StatusCode};

use crate::{
    stack::{Reply, Shown, Stack, request},
    world::Upload,
};

const IMPORT: &str = "/v1/skills/import";
const LIMIT: usize = 64 << 20;

fn upload(key: &Shown, path: &str, media: &str, body: Body) -> Request<Body> {
    let mut post = request(Method::POST, path, Some(&key.text), body);
    post.headers_mut().insert("content-type", media.parse().unwrap());
    post
}

async fn send(stack: &Stack, media: &str, body: impl Into<Body>) -> (Reply, Option<Upload>) {
    let key = stack.key(&["skills:write"]);
    let reply = stack.send(upload(&key, IMPORT, media, body.into())).await;
    (reply, stack.world.state().uploads.pop())
}

/// A body in chunks whose length nobody is told.
fn chunked(start: &[u8], bytes: usize) -> Body {
    let chunk = Bytes::from(vec![7; 3 << 20]);
    let mut rest = bytes - start.len();
    let mut chunks = vec![Bytes::copy_from_slice(start)];
    while rest > 0 {
        chunks.push(chunk.slice(..chunk.len().min(rest)));
        rest -= chunks.last().unwrap().len();
    }
    Body::from_stream(stream::iter(chunks.into_iter().map(Ok::<_, std::io::Error>)))
}

fn part(path: &str, content: &[u8]) -> Vec<u8> {
    let head = format!(
        "--B\r\nContent-Disposition: form-data; name=\"files\"; filename=\"{path}\"\r\n\r\n"
    );
    [head.as_bytes(), content, b"\r\n"].concat()
}

fn form(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let parts = parts.iter().flat_map(|(path, content)| part(path, content));
    parts.chain(*b"--B--\r\n").collect()
}

const FORM: &str = "multipart/form-data; boundary=B";

#[tokio::test]
async fn an_archive_is_passed_on_in_pieces_and_unchanged() {
    let stack = Stack::start();
    let archive = [b"PK\x03\x04".to_vec(), vec![5; 5 << 20]].concat();
    let (reply, upload) = send(&stack, "application/zip", archive.clone()).await;
    assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
    let upload = upload.unwrap();
    assert_eq!(upload.header.format(), UploadFormat::Zip);
    assert_eq!(upload.files, [(String::new(), archive)]);
    assert_eq!(upload.largest_piece, 1 << 20);
}

#[tokio::test]
async fn an_archive_of_no_named_type_is_known_by_its_first_bytes() {
    let stack = Stack::start();
    let zip = (&b"PK\x03\x04"[..], UploadFormat::Zip);
    let tar = (&b"\x1f\x8b\x08\x00"[..], UploadFormat::TarGz);
    for media in ["application/octet-stream", "application/x-www-form-urlencoded"] {
        for (start, format) in [zip, tar] {
            // In chunks of one byte.
            let bytes: Vec<_> = start.iter().map(|b| Ok::<_, std::io::Error>(vec![*b])).collect();
            let (_, upload) = send(&stack, media, Body::from_stream(stream::iter(bytes))).await;
            assert_eq!(upload.unwrap().header.format(), format);
        }
    }
    for media in ["application/gzip", "application/x-gzip", "application/x-tar+gzip"] {
        let (_, upload) = send(&stack, media, "\x1f").await;
        assert_eq!(upload.unwrap().header.format(), UploadFormat::TarGz);
    }
}

#[tokio::test]
async fn what_is_no_upload_is_refused_by_name() {
    let stack = Stack::start();
    let (reply, _) = send(&stack, "application/json", "{}").await;
    assert_eq!(reply.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert!(reply.detail().starts_with("the upload is `application/json`, expected one of"));
    let (reply, _) = send(&stack, "application/octet-stream", "hello").await;
    assert_eq!(reply.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let (reply, _) = send(&stack, "application/zip", "").await;
    assert_eq!(reply.detail(), "the upload is empty");
    let (reply, _) = send(&stack, FORM, form(&[])).await;
    assert_eq!(reply.detail(), "the upload has no files");
    assert!(stack.world.state().uploads.is_empty());
}

#[tokio::test]
async fn files_keep_their_paths_and_bytes() {
    let stack = Stack::start();
    let files: [(&str, &[u8]); 4] = [
        ("tidy up/SKILL.md", b"# Tidy\r\n--A"),
        ("tidy up/références/é.md", b""),
        ("tidy up/%20.sh", b"\r\n"),
        ("tidy up/a.zip", b"PK\x03\x04"),
    ];
    let (reply, upload) = send(&stack, FORM, form(&files)).await;
    assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
    let upload = upload.unwrap();
    assert_eq!(upload.header.format(), UploadFormat::Files);
    let sent = files.map(|(path, content)| (path.to_owned(), content.to_vec()));
    assert_eq!(upload.files, sent);
}

#[tokio::test]
async fn an_archive_in_a_form_is_an_archive() {
    let stack = Stack::start();
    let (_, upload) = send(&stack, FORM, form(&[("skills.zip", b"PK\x03\x04...")])).await;
    let upload = upload.unwrap();
    assert_eq!(upload.header.format(), UploadFormat::Zip);
    assert_eq!(upload.files, [(String::new(), b"PK\x03\x04...".to_vec())]);
    let two = form(&[("skills.zip", b"PK\x03\x04"), ("b.md", b"b")]);
    let (reply, upload) = send(&stack, FORM, two).await;
    assert!(reply.detail().contains("must be the only part"), "{reply:?}");
    assert!(upload.is_none());
}

#[tokio::test]
async fn a_part_without_a_file_name_is_refused_by_name() {
    let stack = Stack::start();
    let form = "--B\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nx\r\n--B--\r\n";
    let (reply, _) = send(&stack, FORM, form).await;
    assert_eq!(reply.detail(), "the part `note` has no file name; it is the file's path");
}

#[tokio::test]
async fn an_upload_has_at_most_64_mebibytes() {
    let stack = Stack::start();
    for bytes in [LIMIT - 1, LIMIT] {
        let (reply, upload) = send(&stack, "application/zip", chunked(b"PK", bytes)).await;
        assert_eq!(reply.status, StatusCode::OK);
        assert_eq!(upload.unwrap().files[0].1.len(), bytes);
    }
    let (reply, upload) = send(&stack, "application/zip", chunked(b"PK", LIMIT + 1)).await;
    assert_eq!(reply.status, StatusCode::PAYLOAD_TOO_LARGE);
    let expected = "the upload has more than 67108864 bytes, allowed are at most 67108864";
    assert_eq!(reply.detail(), expected);
    assert!(upload.is_none());
    assert_eq!(stack.world.state().uploads_broken, 1);
}

#[tokio::test]
async fn an_upload_that_says_that_it_is_too_large_is_refused_before_it_comes() {
    let stack = Stack::start();
    let key = stack.key(&["skills:write"]);
    let mut post = upload(
        &key,
        IMPORT,
        "application/zip",
        Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>()),
    );
    post.headers_mut().insert("content-length", (LIMIT + 1).into());
    let reply = stack.send(post).await;
    let expected = "the upload has 67108865 bytes, allowed are at most 67108864";
    assert_eq!(reply.detail(), expected);
}

#[tokio::test]
async fn the_files_of_a_form_have_at_most_64_mebibytes_together() {
    let stack = Stack::start();
    let content = vec![7; LIMIT / 2];
    let files = |more: &'static [u8]| {
        form(&[("s/SKILL.md", &content[..]), ("s/a", &content[..]), ("s/b", more)])
    };
    let (reply, _) = send(&stack, FORM, files(b"")).await;
    assert_eq!(reply.status, StatusCode::OK);
    let (reply, upload) = send(&stack, FORM, files(b"x")).await;
    assert_eq!(reply.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(upload.is_none());
}

#[tokio::test]
async fn an_upload_that_breaks_off_never_looks_complete() {
    let stack = Stack::start();
    let broken = || {
        let chunks = [Ok(Bytes::from_static(b"PK\x03\x04")), Err(std::io::Error::other("cut"))];
        Body::from_stream(stream::iter(chunks))
    };
    let (reply, upload) = send(&stack, "application/zip", broken()).await;
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
    assert!(upload.is_none());
    let cut = part("s/SKILL.md", b"# Half");
    let (reply, upload) = send(&stack, FORM, cut).await;
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
    assert!(upload.is_none());
}

#[tokio::test]
async fn an_upload_is_taken_as_its_address_says() {
    let stack = Stack::start();
    let key = stack.key(&["skills:write"]);
    let send = async |query: &str| {
        let path = format!("{IMPORT}?{query}");
        stack.send(upload(&key, &path, "application/zip", Body::from("PK\x03\x04"))).await
    };
    send("dry_run=true&tag=prod").await;
    let header = stack.world.state().uploads.pop().unwrap().header;
    assert_eq!((header.dry_run, header.tag.as_deref()), (true, Some("prod")));
    for query in ["dryrun=true", "dry_run=yes", "tag=Prod"] {
        assert_eq!(send(query).await.status, StatusCode::BAD_REQUEST, "{query}");
    }
}

#[tokio::test]
async fn a_key_that_may_not_write_is_refused() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    let post = upload(&key, IMPORT, "application/zip", Body::from("PK\x03\x04"));
    assert_eq!(stack.send(post).await.status, StatusCode::FORBIDDEN);
}
