//! Takes secrets out.
//!
//! Must never let a secret through because something that nobody sees is inside it, and must
//! never take out what a session is about: people have to recognise their work.
//!
//! What is taken out becomes [`REDACTED`]; what told it was a secret stays (`sk-ant-[redacted]`).
//!
//! - **Tokens with a known beginning** ([`token`]), also when the text ends within one.
//! - **Keys in armour** ([`armour`]): private keys of PEM and PGP, to their END or to the end.
//! - **Values by their name** ([`named`], [`slot`]): `password`, `secret`, `token`, `api_key`…
//!   with `:` or `=`.
//! - **Credentials of requests** ([`header`]) and of addresses ([`address`]).
//! - **Secret keys of AWS** ([`aws`]), which have nothing but their look.
//!
//! Where it is not certain, the more natural reading wins: counts of tokens, kebab-case words,
//! hashes, ids, paths, types, variables and calls stay. Each rule says what it lets stay.
//!
//! Idempotent: a secret is taken out up to where no token could go on, a value that holds
//! [`REDACTED`] is no secret, and what a rule asks of the neighbourhood is the same with the mark
//! in place. Linear: each rule looks at no more than [`WINDOW`] before it has found a secret.

mod address;
mod armour;
mod aws;
mod bare;
mod header;
mod looks;
mod named;
mod slot;
mod token;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};

use super::strip::Shape;
use bare::Bare;
use named::Name;
use token::Proof;

/// Stands for a secret.
pub(super) const REDACTED: &str = "[redacted]";

/// How far a rule looks to find out whether something is a secret, in bytes.
const WINDOW: usize = 256;

/// Finds out whether there is a secret where one of the [`WORDS`] was found.
#[derive(Clone, Copy)]
enum Rule {
    Token(Proof),
    Jwt,
    Address,
    Armour,
    ArmourEnd,
    /// An address that is itself the secret.
    Hook,
    Named(Name),
    /// As [`Rule::Named`], where the word is written in just these letters.
    Exactly(Name),
    Authorization,
    Bearer,
    Curl,
}

/// What has to be in a text that holds a secret; without any of it nothing else is asked.
/// The longest counts where several begin.
const WORDS: &[(&str, Rule)] = &[
    ("sk-", Rule::Token(Proof::Part(10))),
    ("sk-ant-", Rule::Token(Proof::Part(4))),
    ("sk-proj-", Rule::Token(Proof::Part(4))),
    ("sk_live_", Rule::Token(Proof::Prefix)),
    ("rk_live_", Rule::Token(Proof::Prefix)),
    ("sk_test_", Rule::Token(Proof::Prefix)),
    ("rk_test_", Rule::Token(Proof::Prefix)),
    ("whsec_", Rule::Token(Proof::Part(10))),
    ("ghp_", Rule::Token(Proof::Prefix)),
    ("gho_", Rule::Token(Proof::Prefix)),
    ("ghu_", Rule::Token(Proof::Prefix)),
    ("ghs_", Rule::Token(Proof::Prefix)),
    ("ghr_", Rule::Token(Proof::Prefix)),
    ("github_pat_", Rule::Token(Proof::Prefix)),
    ("glpat-", Rule::Token(Proof::Prefix)),
    ("AKIA", Rule::Token(Proof::Capitals)),
    ("ASIA", Rule::Token(Proof::Capitals)),
    ("AIza", Rule::Token(Proof::Prefix)),
    ("xoxa-", Rule::Token(Proof::Prefix)),
    ("xoxb-", Rule::Token(Proof::Prefix)),
    ("xoxc-", Rule::Token(Proof::Prefix)),
    ("xoxd-", Rule::Token(Proof::Prefix)),
    ("xoxe-", Rule::Token(Proof::Prefix)),
    ("xoxp-", Rule::Token(Proof::Prefix)),
    ("xoxr-", Rule::Token(Proof::Prefix)),
    ("xoxs-", Rule::Token(Proof::Prefix)),
    ("xoxe.xoxb-", Rule::Token(Proof::Prefix)),
    ("xoxe.xoxp-", Rule::Token(Proof::Prefix)),
    ("xapp-", Rule::Token(Proof::Part(4))),
    ("hf_", Rule::Token(Proof::Part(10))),
    ("npm_", Rule::Token(Proof::Part(10))),
    ("glptt-", Rule::Token(Proof::Prefix)),
    ("glrt-", Rule::Token(Proof::Prefix)),
    ("dop_v1_", Rule::Token(Proof::Prefix)),
    ("GOCSPX-", Rule::Token(Proof::Prefix)),
    ("AGE-SECRET-KEY-", Rule::Token(Proof::Prefix)),
    ("ya29.", Rule::Token(Proof::Prefix)),
    ("SG.", Rule::Token(Proof::Part(10))),
    ("pypi-", Rule::Token(Proof::Part(10))),
    ("gsk_", Rule::Token(Proof::Part(10))),
    ("xai-", Rule::Token(Proof::Part(10))),
    ("pplx-", Rule::Token(Proof::Part(10))),
    ("r8_", Rule::Token(Proof::Part(10))),
    ("eyJ", Rule::Jwt),
    (":/", Rule::Address),
    ("hooks.slack.com/services/", Rule::Hook),
    ("/api/webhooks/", Rule::Hook),
    ("-----BEGIN ", Rule::Armour),
    ("-----END ", Rule::ArmourEnd),
    ("password", Rule::Named(Name::Password)),
    ("passwd", Rule::Named(Name::Password)),
    ("passphrase", Rule::Named(Name::Password)),
    ("pwd", Rule::Named(Name::Password)),
    ("secret", Rule::Named(Name::Password)),
    ("\"pass\"", Rule::Named(Name::Password)),
    ("sshpass -p", Rule::Named(Name::Password)),
    ("_PASS", Rule::Exactly(Name::Password)),
    ("token", Rule::Named(Name::Token)),
    ("apikey", Rule::Named(Name::Token)),
    ("api_key", Rule::Named(Name::Token)),
    ("api-key", Rule::Named(Name::Token)),
    ("accesskey", Rule::Named(Name::Token)),
    ("access_key", Rule::Named(Name::Token)),
    ("access-key", Rule::Named(Name::Token)),
    ("secretkey", Rule::Named(Name::Token)),
    ("secret_key", Rule::Named(Name::Token)),
    ("secret-key", Rule::Named(Name::Token)),
    ("accountkey", Rule::Named(Name::Token)),
    ("account_key", Rule::Named(Name::Token)),
    ("encryption_key", Rule::Named(Name::Token)),
    ("signing_key", Rule::Named(Name::Token)),
    ("master_key", Rule::Named(Name::Token)),
    ("x-amz-signature", Rule::Named(Name::Token)),
    ("privatekey", Rule::Named(Name::Token)),
    ("private_key", Rule::Named(Name::Token)),
    ("private-key", Rule::Named(Name::Token)),
    ("authorization", Rule::Authorization),
    ("bearer", Rule::Bearer),
    ("curl", Rule::Curl),
];

static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .kind(Some(AhoCorasickKind::DFA))
        .build(WORDS.iter().map(|(word, _)| word))
        .expect("fails only for more words than anybody could write")
});

/// `text` without its secrets. It must be visible and limited already.
pub(super) fn redacted(text: Cow<'_, str>, shape: Shape) -> Box<str> {
    let bare = Bare::of(&text, shape);
    let secrets = secrets(&bare, shape);
    if secrets.is_empty() {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + secrets.len() * REDACTED.len());
    let mut done = 0;
    for secret in secrets {
        let (start, end) = (bare.real(secret.start), bare.real(secret.end));
        if start >= done {
            shown.push_str(&text[done..start]);
            shown.push_str(REDACTED);
        }
        done = done.max(end);
    }
    shown.push_str(&text[done..]);
    shown.into()
}

/// Where the secrets are in the bare text, by their beginning; some may overlap.
fn secrets(bare: &Bare<'_>, shape: Shape) -> Vec<Range<usize>> {
    let text = bare.text();
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut from = 0;
    while let Some(hit) = FINDER.find(Input::new(text).range(from..)) {
        if let Some(last) = found.last().filter(|last| last.contains(&hit.start())) {
            from = last.end;
            continue;
        }
        from = hit.start() + 1;
        let (word, rule) = WORDS[hit.pattern()];
        let exact = &text[hit.range()] == word;
        if let Some(secret) = rule.secret(bare, hit.range(), exact, shape) {
            found.push(without_prefix(text, secret));
        }
    }
    if shape != Shape::Path {
        found.extend(aws::secret_keys(text));
    }
    // The rest of one that was taken out before.
    found.retain(|secret| !text[secret.end..].starts_with(REDACTED));
    // Between an address and its password may be another secret.
    found.sort_unstable_by_key(|secret| secret.start);
    found
}

impl Rule {
    /// The secret that belongs to the word at `word`. A path has no values and no headers, but
    /// may be made of an address or of a token.
    fn secret(
        self,
        bare: &Bare<'_>,
        word: Range<usize>,
        exact: bool,
        shape: Shape,
    ) -> Option<Range<usize>> {
        match self {
            Self::Token(proof) if exact => token::token(bare, word, proof),
            Self::Jwt if exact => token::jwt(bare, word),
            Self::Address => address::password(bare.text(), word),
            _ if shape == Shape::Path => None,
            Self::Armour if exact => armour::key(bare.text(), word),
            Self::ArmourEnd if exact => armour::rest_of_key(bare.text(), word),
            Self::Hook => token::hook(bare.text(), word.end),
            Self::Token(_) | Self::Jwt | Self::Armour | Self::ArmourEnd => None,
            Self::Exactly(_) if !exact => None,
            Self::Named(name) | Self::Exactly(name) => named::value(bare.text(), word, name),
            Self::Authorization => header::authorization(bare.text(), &word),
            Self::Curl => header::of_user(bare.text(), &word),
            Self::Bearer => header::bearer(bare, word),
        }
    }
}

/// A secret that was told by what is before it, without the prefix that says what it is.
fn without_prefix(text: &str, secret: Range<usize>) -> Range<usize> {
    let value = &text[secret.clone()];
    let prefix = token_prefix(value).filter(|length| *length < value.len());
    secret.start + prefix.unwrap_or(0)..secret.end
}

/// The length of the prefix of a token that `text` begins with.
fn token_prefix(text: &str) -> Option<usize> {
    let prefixes = WORDS.iter().filter(|(prefix, rule)| {
        matches!(rule, Rule::Token(_) | Rule::Jwt) && text.starts_with(prefix)
    });
    prefixes.map(|(prefix, _)| prefix.len()).max()
}

/// The text from `start` on that a rule may look at.
fn near(text: &str, start: usize) -> &str {
    &text[start..text.floor_char_boundary(start + WINDOW)]
}

/// How many bytes at the beginning of `text` belong; none beyond ASCII do.
fn run(text: &str, belongs: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|b| belongs(*b)).count()
}

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod tests;
