//! Tokens of a whole session: its log is streamed once, in the background.
//!
//! Must never hold more of a log than a block of its lines, nor go on when nobody waits for it.

use std::io;

use super::Store;
use super::log::Blocks;
use crate::session::SessionId;
use crate::transcript::Usage;

/// All the tokens that a session's log tells of; `None`: it was stopped. `stopped` is asked for every
/// block of it.
pub fn usage(
    store: &dyn Store,
    id: &SessionId,
    stopped: &dyn Fn() -> bool,
) -> io::Result<Option<Usage>> {
    let mut usage = Usage::default();
    let Some(log) = store.log(id)? else {
        return Ok(Some(usage));
    };
    let mut buffer = Vec::new();
    let mut blocks = Blocks::of(log, &mut buffer);
    while let Some(block) = blocks.more()? {
        if stopped() {
            return Ok(None);
        }
        usage.add(store.usage(block.bytes));
    }
    Ok(Some(usage))
}
