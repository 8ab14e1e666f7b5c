#include "CRE2.h"

#include <re2/re2.h>

#include <cstdlib>
#include <cstring>
#include <string>

struct cre2_pattern {
  re2::RE2 re;
  cre2_pattern(const re2::StringPiece &text, const re2::RE2::Options &options) : re(text, options) {}
};

extern "C" {

cre2_pattern *cre2_compile(const char *text, size_t length, int64_t max_memory) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(max_memory);
  return new cre2_pattern(re2::StringPiece(text, length), options);
}

void cre2_free(cre2_pattern *pattern) { delete pattern; }

bool cre2_ok(const cre2_pattern *pattern) { return pattern->re.ok(); }

const char *cre2_error(const cre2_pattern *pattern) { return pattern->re.error().c_str(); }

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
