/// RE2 behind plain C: compile a pattern, match, replace, and find for split.
///
/// The rules language defines RE2 syntax, and RE2's linear time is a security
/// property: a pattern written by a user must not be able to hang the server.
#ifndef DOCSTORE_CRE2_H
#define DOCSTORE_CRE2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A compiled pattern. Immutable after creation, so it may be used from several threads at once.
typedef struct cre2_pattern cre2_pattern;

/// Compiles `length` bytes of UTF-8. Never null; ask `cre2_ok` whether it compiled.
/// `max_memory` bounds the compiled automaton in bytes.
cre2_pattern *_Nonnull cre2_compile(const char *_Nonnull text, size_t length, int64_t max_memory);
void cre2_free(cre2_pattern *_Nonnull pattern);
bool cre2_ok(const cre2_pattern *_Nonnull pattern);

/// RE2's own message about a pattern that did not compile; valid as long as the pattern.
const char *_Nonnull cre2_error(const cre2_pattern *_Nonnull pattern);

/// How many instructions the pattern's program has: what one byte of text may cost where RE2 falls back to
/// following all of them side by side.
int32_t cre2_program_size(const cre2_pattern *_Nonnull pattern);

/// Whether the whole text matches.
bool cre2_full_match(const cre2_pattern *_Nonnull pattern, const char *_Nullable text, size_t length);

/// The first match at or after `start`; false if there is none.
bool cre2_find(const cre2_pattern *_Nonnull pattern, const char *_Nullable text, size_t length,
               size_t start, size_t *_Nonnull match_start, size_t *_Nonnull match_end);

/// How many capturing groups the pattern has.
int32_t cre2_group_count(const cre2_pattern *_Nonnull pattern);

/// The number of a named group; -1 if there is none of that name.
int32_t cre2_group_number(const cre2_pattern *_Nonnull pattern, const char *_Nullable name, size_t length);

/// Like `cre2_find`, with groups: writes start and end of the match and of its first `count - 1` groups to
/// `spans` (2 * count numbers), -1 for a group that took no part.
bool cre2_find_groups(const cre2_pattern *_Nonnull pattern, const char *_Nullable text, size_t length,
                      size_t start, intptr_t *_Nonnull spans, int32_t count);

/// Replaces every match. The result is allocated with malloc and owned by the caller; its length is
/// written to `result_length`. Null if the replacement text refers to a group that does not exist.
char *_Nullable cre2_replace_all(const cre2_pattern *_Nonnull pattern, const char *_Nullable text,
                                 size_t length, const char *_Nullable replacement,
                                 size_t replacement_length, size_t *_Nonnull result_length);

#ifdef __cplusplus
}
#endif

#endif
