//! A search inside transcripts, told as it goes on.

use super::Tools;
use crate::app::msg::{Generation, Msg};
use crate::runtime::lane::Stop;
use crate::search::query::Query;
use crate::search::{Limits, search};
use crate::session::SessionId;

/// Hits that a search tells of each session; the rest are counted.
const HITS: usize = 3;
/// Columns of what is around a hit: as much as a wide screen shows.
const CONTEXT: usize = 200;

/// Whether everything was searched.
pub(super) fn run(
    tools: &Tools,
    generation: Generation,
    (ids, query): (&[SessionId], &Query),
    stop: &Stop,
    send: &dyn Fn(Msg),
) -> bool {
    let limits = Limits {
        hits: HITS,
        columns: CONTEXT,
        secrets: tools.settings.secrets,
    };
    let mut tell = |news| send(Msg::Found { generation, news });
    let stopped = || stop.asked();
    search(&*tools.store, ids, query, limits, &stopped, &mut tell)
}
