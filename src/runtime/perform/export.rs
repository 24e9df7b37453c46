//! A transcript written to a file.

use std::path::PathBuf;

use crate::app::msg::{Exported, NotExported};
use crate::export::file::{FileError, export_to, free};
use crate::export::format::Format;
use crate::runtime::lane::Stop;
use crate::session::{Refusal, SessionId};
use crate::store::Store;
use crate::text::{SafeText, Secrets};

pub(super) fn run(
    store: &dyn Store,
    id: &SessionId,
    (format, secrets): (Format, Secrets),
    path: PathBuf,
    stop: &Stop,
) -> Result<Exported, NotExported> {
    let Some(session) = store.session(id) else {
        return Err(NotExported {
            why: SafeText::line(&Refusal::Gone.to_string()),
            free: None,
        });
    };
    let stopped = || stop.asked();
    match export_to(&path, store, &session, format, secrets, &stopped) {
        Ok(missing) => Ok(Exported {
            path,
            missing: missing.told().map(|told| SafeText::line(&told)),
        }),
        Err(error) => Err(NotExported {
            why: SafeText::line(&error.to_string()),
            free: match error {
                FileError::Exists(taken) => free(&taken),
                FileError::NotMade(..) | FileError::Incomplete(..) => None,
            },
        }),
    }
}
