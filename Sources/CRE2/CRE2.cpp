#include "CRE2.h"

#include <re2/re2.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

struct cre2_pattern {
  re2::RE2 re;
  cre2_pattern(const re2::StringPiece &text, const re2::RE2::Options &options) : re(text, options) {}
};

/// Writes `(?<name>` as `(?P<name>`, which older versions of the library know, too; empty if nothing changes.
static std::string with_old_names(const std::string &text) {
  std::string out;
  bool renamed = false;
  for (size_t index = 0; index < text.size(); index++) {
    if (text.compare(index, 3, "(?<") == 0 && index + 3 < text.size() && text[index + 3] != '=' &&
        text[index + 3] != '!') {
      out += "(?P<";
      index += 2;
      renamed = true;
    } else {
      out += text[index];
    }
  }
  return renamed ? out : std::string();
}

extern "C" {

cre2_pattern *cre2_compile(const char *text, size_t length, int64_t max_memory) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(max_memory);
  cre2_pattern *pattern = new cre2_pattern(re2::StringPiece(text, length), options);
  if (pattern->re.ok()) return pattern;
  const std::string renamed = with_old_names(std::string(text, length));
  if (renamed.empty()) return pattern;
  cre2_pattern *other = new cre2_pattern(renamed, options);
  if (!other->re.ok()) std::swap(pattern, other);
  delete pattern;
  return other;
}

void cre2_free(cre2_pattern *pattern) { delete pattern; }

bool cre2_ok(const cre2_pattern *pattern) { return pattern->re.ok(); }

const char *cre2_error(const cre2_pattern *pattern) { return pattern->re.error().c_str(); }

int32_t cre2_program_size(const cre2_pattern *pattern) { return pattern->re.ProgramSize(); }

bool cre2_full_match(const cre2_pattern *pattern, const char *text, size_t length) {
  return re2::RE2::FullMatch(re2::StringPiece(text, length), pattern->re);
}

bool cre2_find(const cre2_pattern *pattern, const char *text, size_t length, size_t start,
               size_t *match_start, size_t *match_end) {
  re2::StringPiece subject(text, length);
  re2::StringPiece match;
  if (!pattern->re.Match(subject, start, length, re2::RE2::UNANCHORED, &match, 1)) return false;
  *match_start = static_cast<size_t>(match.data() - subject.data());
  *match_end = *match_start + match.size();
  return true;
}

int32_t cre2_group_count(const cre2_pattern *pattern) { return pattern->re.NumberOfCapturingGroups(); }

int32_t cre2_group_number(const cre2_pattern *pattern, const char *name, size_t length) {
  const auto &groups = pattern->re.NamedCapturingGroups();
  auto found = groups.find(std::string(name == nullptr ? "" : name, length));
  return found == groups.end() ? -1 : found->second;
}

bool cre2_find_groups(const cre2_pattern *pattern, const char *text, size_t length, size_t start,
                      intptr_t *spans, int32_t count) {
  re2::StringPiece subject(text, length);
  std::vector<re2::StringPiece> groups(static_cast<size_t>(count));
  if (!pattern->re.Match(subject, start, length, re2::RE2::UNANCHORED, groups.data(), count)) return false;
  for (int32_t index = 0; index < count; index++) {
    const re2::StringPiece &group = groups[static_cast<size_t>(index)];
    bool is_set = group.data() != nullptr;
    spans[2 * index] = is_set ? group.data() - subject.data() : -1;
    spans[2 * index + 1] = is_set ? group.data() - subject.data() + static_cast<intptr_t>(group.size()) : -1;
  }
  return true;
}

char *cre2_replace_all(const cre2_pattern *pattern, const char *text, size_t length,
                       const char *replacement, size_t replacement_length, size_t *result_length) {
  std::string subject(text == nullptr ? "" : text, length);
  re2::StringPiece rewrite(replacement, replacement_length);
  std::string error;
  if (!pattern->re.CheckRewriteString(rewrite, &error)) return nullptr;
  re2::RE2::GlobalReplace(&subject, pattern->re, rewrite);
  char *result = static_cast<char *>(std::malloc(subject.size() + 1));
  if (result == nullptr) return nullptr;
  std::memcpy(result, subject.data(), subject.size());
  result[subject.size()] = 0;
  *result_length = subject.size();
  return result;
}

}  // extern "C"
