//! Skills to publish.

/// Files with their paths.
pub type Files = Vec<(String, Vec<u8>)>;

/// A skill as a folder of files.
#[derive(Clone, Debug)]
pub struct Skill {
    pub slug: String,
    name: String,
    description: String,
    body: String,
    files: Files,
}

impl Skill {
    pub fn new(slug: &str) -> Self {
        Self {
            slug: slug.to_owned(),
            name: slug.to_owned(),
            description: format!("Does {}.", slug.replace('-', " ")),
            body: format!("# {slug}\n\nDo it.\n"),
            files: Vec::new(),
        }
    }

    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    #[must_use]
    pub fn described(self, description: &str) -> Self {
        Self { description: description.to_owned(), ..self }
    }

    #[must_use]
    pub fn saying(self, body: &str) -> Self {
        Self { body: body.to_owned(), ..self }
    }

    #[must_use]
    pub fn with(mut self, path: &str, content: impl Into<Vec<u8>>) -> Self {
        self.files.push((path.to_owned(), content.into()));
        self
    }

    /// What `get_skill` gives.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// What SKILL.md holds.
    pub fn instructions(&self) -> String {
        let Self { name, description, body, .. } = self;
        format!("---\nname: {name}\ndescription: {description}\n---\n{body}")
    }

    /// The files beside SKILL.md.
    pub fn beside(&self) -> &[(String, Vec<u8>)] {
        &self.files
    }

    /// Every file, in the skill's folder.
    pub fn files(&self) -> Files {
        let main = ("SKILL.md".to_owned(), self.instructions().into_bytes());
        let all = std::iter::once(main).chain(self.files.iter().cloned());
        all.map(|(path, content)| (format!("{}/{path}", self.slug), content)).collect()
    }
}

/// Every file of these skills.
pub fn files(skills: &[Skill]) -> Files {
    skills.iter().flat_map(Skill::files).collect()
}
