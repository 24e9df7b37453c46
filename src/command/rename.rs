//! `rename`: another title for a session.

use clap::Args;

use super::list::find;
use super::terminal::say;
use super::{Context, Failure};
use crate::session::Title;
use crate::text::SafeText;

/// Arguments of `rename`.
#[derive(Debug, Args)]
pub(super) struct Rename {
    /// The session; the beginning of its id is enough
    id: String,

    /// The new title: one line
    title: String,
}

impl Rename {
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        let title = Title::parse(&self.title).map_err(|why| {
            let typed = SafeText::line(&self.title).cut(40);
            Failure::Usage(format!("invalid TITLE \"{typed}\": {why}"))
        })?;
        let session = find(context, &self.id)?;
        let id = &session.id;
        let renamed = context.store.rename(id, &title);
        renamed.map_err(|refusal| Failure::Failed(format!("{id}: {refusal}")))?;
        let title = SafeText::line_with(title.as_str(), context.settings.secrets);
        say(format!("{id} is called \"{title}\" now"));
        Ok(())
    }
}
