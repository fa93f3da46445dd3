//! Uploads as clients send them.
use std::{
    fs,
    io::{Cursor, Write},
    path::Path,
};

use flate2::{Compression, write::GzEncoder};
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::skill::Files;

/// A body and its type.
#[derive(Clone, Debug)]
pub struct Upload {
    pub media_type: &'static str,
    pub body: Vec<u8>,
}

const BOUNDARY: &str = "a-boundary-that-no-file-holds";

impl Upload {
    /// Each file a part, its path its file name.
    pub fn parts(files: &Files) -> Self {
        let mut body = Vec::new();
        for (path, content) in files {
            write!(body, "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"files\"; ")
                .unwrap();
            write!(body, "filename=\"{path}\"\r\n\r\n").unwrap();
            body.extend_from_slice(content);
            body.extend_from_slice(b"\r\n");
        }
        write!(body, "--{BOUNDARY}--\r\n").unwrap();
        Self { media_type: "multipart/form-data; boundary=a-boundary-that-no-file-holds", body }
    }

    pub fn zip(files: &Files) -> Self {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (path, content) in files {
            zip.start_file(path.as_str(), SimpleFileOptions::default()).unwrap();
            zip.write_all(content).unwrap();
        }
        Self { media_type: "application/zip", body: zip.finish().unwrap().into_inner() }
    }

    pub fn tar_gz(files: &Files) -> Self {
        let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (path, content) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            tar.append_data(&mut header, path, content.as_slice()).unwrap();
        }
        let body = tar.into_inner().unwrap().finish().unwrap();
        Self { media_type: "application/gzip", body }
    }
}

/// Every file below a folder of the repository.
pub fn folder(path: &str) -> Files {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    let mut files = Files::new();
    add(&root, &root, &mut files);
    assert!(!files.is_empty(), "no file in `{path}`");
    files
}

fn add(root: &Path, folder: &Path, files: &mut Files) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add(root, &path, files);
            continue;
        }
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        files.push((name, fs::read(&path).unwrap()));
    }
}
