//! `search`: what is inside transcripts, newest session first.

mod json;
mod text;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use clap::Args;

use super::terminal::{say, stop_on_signals};
use super::{Context, Failure, counted, tell_faults};
use crate::lineage::Lineage;
use crate::search::found::{End, Hit, News};
use crate::search::query::{BadQuery, Query};
use crate::search::{Limits, search};
use crate::session::{Condition, Session, SessionId};
use crate::text::SafeText;

/// Arguments of `search`.
#[derive(Debug, Args)]
pub(super) struct Search {
    /// Words that all have to be in one message, or /a regular expression/; in any case, unless
    /// they have a capital letter
    #[arg(required = true, value_name = "TERM")]
    terms: Vec<String>,
}

/// Says what was found, session by session.
trait Told {
    fn session(&mut self, session: &Session, hits: &[Hit], end: &End) -> Result<(), Failure>;
    fn end(self, summary: &Summary<'_>) -> Result<(), Failure>;
}

/// All but what was found.
#[derive(Default)]
struct Summary<'a> {
    /// Sessions that were to be searched, and those that were.
    sessions: usize,
    searched: usize,
    /// What was not searched, or not all of it, and why.
    missed: Vec<(&'a SessionId, String)>,
    failed: bool,
    unreadable: u64,
    too_long: u64,
    found: usize,
}

impl Search {
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        let typed = self.terms.join(" ");
        let query = Query::parse(&typed).map_err(|error| usage(&typed, &error))?;
        let (lineage, faults) = context.list()?;
        let told = if context.json {
            let out = json::Json::begin(&typed, &faults)?;
            tell(
                context,
                &lineage,
                &query,
                json::limits(context.settings.secrets),
                out,
            )
        } else {
            tell_faults(&faults);
            let out = text::Text::new(context);
            tell(context, &lineage, &query, out.limits(), out)
        };
        // The process ends: a hundred thousand sessions need not be taken apart first.
        std::mem::forget(lineage);
        told
    }
}

/// Searches all there is, and tells of it as it comes.
fn tell(
    context: &Context,
    lineage: &Lineage,
    query: &Query,
    limits: Limits,
    mut out: impl Told,
) -> Result<(), Failure> {
    let mut sessions: Vec<&Session> = lineage.sessions().iter().collect();
    sessions.sort_by_key(|session| (Reverse(session.activity_at), &session.id));
    let mut summary = Summary::default();
    // Nothing is read through a link.
    sessions.retain(|session| {
        let linked = session.condition == Condition::Linked;
        if linked {
            let why = session.condition.to_string();
            summary.missed.push((&session.id, why));
        }
        !linked
    });
    let ids: Vec<SessionId> = sessions.iter().map(|session| session.id.clone()).collect();
    summary.sessions = ids.len();
    let stop = stop_on_signals()?;
    let stopped = || stop.load(Ordering::Relaxed);
    let mut written = Ok(());
    let mut write = |at: usize, hits: Vec<Hit>, end: Option<End>| {
        let session = sessions[at];
        let end = summary.add(&session.id, &hits, end);
        if end.count > 0 && written.is_ok() {
            written = out.session(session, &hits, &end);
            if written.is_err() {
                stop.store(true, Ordering::Relaxed);
            }
        }
    };
    let mut order = Order::default();
    let mut news = |batch: Vec<News>| {
        for news in batch {
            order.take(news, &mut write);
        }
    };
    search(&*context.store, &ids, query, limits, &stopped, &mut news);
    order.rest(&mut write);
    written?;
    out.end(&summary)?;
    if summary.failed || summary.stopped() {
        return Err(Failure::Reported);
    }
    Ok(())
}

impl<'a> Summary<'a> {
    fn add(&mut self, id: &'a SessionId, hits: &[Hit], end: Option<End>) -> End {
        self.searched += usize::from(end.is_some());
        let end = end.unwrap_or_else(|| End {
            count: hits.len() as u64,
            ..End::default()
        });
        self.found += usize::from(end.count > 0);
        self.unreadable += end.unreadable;
        self.too_long += end.too_long;
        if let Some(why) = &end.failed {
            self.failed = true;
            self.missed.push((id, why.to_string()));
        }
        end
    }

    fn stopped(&self) -> bool {
        self.searched < self.sessions
    }

    /// Tells on stderr what whoever reads the hits has to know besides.
    fn say(&self) {
        for (id, why) in &self.missed {
            say(format_args!("{id} was not searched: {why}"));
        }
        let lines = |count: u64| {
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            counted(count, "line", "lines")
        };
        if self.too_long > 0 {
            let lines = lines(self.too_long);
            say(format_args!("{lines} longer than 1 MiB not searched"));
        }
        if self.unreadable > 0 {
            let lines = lines(self.unreadable);
            say(format_args!("{lines} that might match cannot be read"));
        }
        let sessions = counted(self.sessions, "session", "sessions");
        if self.stopped() {
            let searched = self.searched;
            say(format_args!("stopped: {searched} of {sessions} searched"));
        } else if self.found == 0 {
            say(format_args!("nothing found in {sessions}"));
        }
    }
}

/// Brings news into the order of the sessions.
#[derive(Default)]
struct Order {
    next: usize,
    waiting: BTreeMap<usize, (Vec<Hit>, Option<End>)>,
}

impl Order {
    fn take(&mut self, news: News, tell: &mut impl FnMut(usize, Vec<Hit>, Option<End>)) {
        let (hits, end) = self.waiting.entry(news.session).or_default();
        hits.extend(news.hits);
        *end = news.end;
        while let Some(first) = self.waiting.first_entry()
            && *first.key() == self.next
            && first.get().1.is_some()
        {
            let (hits, end) = first.remove();
            tell(self.next, hits, end);
            self.next += 1;
        }
    }

    /// Tells what there is of the others.
    fn rest(self, tell: &mut impl FnMut(usize, Vec<Hit>, Option<End>)) {
        for (session, (hits, end)) in self.waiting {
            tell(session, hits, end);
        }
    }
}

/// What was typed cannot be searched for; shows where.
fn usage(typed: &str, error: &BadQuery) -> Failure {
    let Some(place) = &error.place else {
        return Failure::Usage(format!("cannot search for this: {error}"));
    };
    let before = SafeText::line(&typed[..place.start]);
    let wrong = SafeText::line(&typed[place.clone()]);
    let behind = SafeText::line(&typed[place.end..]);
    let marks = "^".repeat(wrong.width().max(1));
    let column = before.width();
    Failure::Usage(format!(
        "invalid regular expression: {error}\n  {before}{wrong}{behind}\n  {:column$}{marks}",
        ""
    ))
}
