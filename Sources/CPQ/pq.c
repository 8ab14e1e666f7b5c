// Finds libpq's functions by their names, and calls them.

#include "CPQ.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

// One line a function: what it gives, its name, what it takes.
#define FUNCTIONS(X)                                                                                                   \
  X(void *, PQconninfoParse, (const char *, char **))                                                                  \
  X(void, PQconninfoFree, (void *))                                                                                    \
  X(void, PQfreemem, (void *))                                                                                         \
  X(docstore_pq_connection *, PQconnectdbParams, (const char *const *, const char *const *, int))                      \
  X(int, PQstatus, (const docstore_pq_connection *))                                                                   \
  X(int, PQserverVersion, (const docstore_pq_connection *))                                                            \
  X(char *, PQerrorMessage, (const docstore_pq_connection *))                                                          \
  X(int, PQsocket, (const docstore_pq_connection *))                                                                   \
  X(void, PQfinish, (docstore_pq_connection *))                                                                        \
  X(void *, PQsetNoticeProcessor, (docstore_pq_connection *, void (*)(void *, const char *), void *))                  \
  X(int, PQsetnonblocking, (docstore_pq_connection *, int))                                                            \
  X(int, PQenterPipelineMode, (docstore_pq_connection *))                                                              \
  X(int, PQsendPrepare, (docstore_pq_connection *, const char *, const char *, int, const uint32_t *))                 \
  X(int, PQsendQueryPrepared,                                                                                          \
    (docstore_pq_connection *, const char *, int, const char *const *, const int *, const int *, int))                 \
  X(int, PQpipelineSync, (docstore_pq_connection *))                                                                   \
  X(int, PQflush, (docstore_pq_connection *))                                                                          \
  X(int, PQconsumeInput, (docstore_pq_connection *))                                                                   \
  X(int, PQisBusy, (docstore_pq_connection *))                                                                         \
  X(docstore_pq_notice *, PQnotifies, (docstore_pq_connection *))                                                      \
  X(docstore_pq_result *, PQgetResult, (docstore_pq_connection *))                                                     \
  X(int, PQresultStatus, (const docstore_pq_result *))                                                                 \
  X(char *, PQresultErrorField, (const docstore_pq_result *, int))                                                     \
  X(char *, PQresultErrorMessage, (const docstore_pq_result *))                                                        \
  X(int, PQntuples, (const docstore_pq_result *))                                                                      \
  X(char *, PQgetvalue, (const docstore_pq_result *, int, int))                                                        \
  X(int, PQgetlength, (const docstore_pq_result *, int, int))                                                          \
  X(int, PQgetisnull, (const docstore_pq_result *, int, int))                                                          \
  X(void, PQclear, (docstore_pq_result *))

#define DECLARE(result, name, parameters) static result(*name) parameters;
FUNCTIONS(DECLARE)

static const char *missing = "libpq was not looked for";
static char reason[512];

static void load(void) {
#ifdef __APPLE__
  const char *names[] = {"libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib"};
#else
  const char *names[] = {"libpq.so.5"};
#endif
  void *library = NULL;
  for (size_t index = 0; index < sizeof names / sizeof *names && library == NULL; index++) {
    library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
  }
  if (library == NULL) {
    const char *why = dlerror();
    snprintf(reason, sizeof reason, "PostgreSQL's client library is not installed (%s)", why != NULL ? why : names[0]);
    missing = reason;
    return;
  }
#define FIND(result, name, parameters)                                                                                 \
  name = (result(*) parameters)dlsym(library, #name);                                                                  \
  if (name == NULL) {                                                                                                  \
    missing = "PostgreSQL's client library is too old: it has no " #name ", which came with version 14";               \
    return;                                                                                                            \
  }
  FUNCTIONS(FIND)
  missing = NULL;
}

const char *docstore_pq_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return missing;
}

char *docstore_pq_check(const char *text) {
  char *message = NULL;
  void *options = PQconninfoParse(text, &message);
  if (options != NULL) PQconninfoFree(options);
  return message;
}

void docstore_pq_free(void *memory) { PQfreemem(memory); }

// The library would write notices to the standard error output.
static void ignore_notice(void *context, const char *message) {
  (void)context;
  (void)message;
}

docstore_pq_connection *docstore_pq_connect(const char *text, int seconds) {
  char limit[16];
  snprintf(limit, sizeof limit, "%d", seconds);
  // The first of a name counts least: what the connection string says comes after, and wins.
  const char *names[] = {
      "connect_timeout", "application_name", "client_encoding", "tcp_user_timeout", "target_session_attrs", "dbname", NULL};
  // Of several hosts the one that may be written to, also after another one has taken over.
  const char *values[] = {limit, "docsh", "UTF8", "5000", "read-write", text, NULL};
  docstore_pq_connection *connection = PQconnectdbParams(names, values, 1);
  if (connection == NULL || PQstatus(connection) != 0) return connection;
  PQsetNoticeProcessor(connection, ignore_notice, NULL);
  PQsetnonblocking(connection, 1);
  PQenterPipelineMode(connection);
  return connection;
}

int docstore_pq_is_open(const docstore_pq_connection *connection) { return connection != NULL && PQstatus(connection) == 0; }
int docstore_pq_version(const docstore_pq_connection *connection) { return PQserverVersion(connection); }
const char *docstore_pq_message(const docstore_pq_connection *connection) { return PQerrorMessage(connection); }
int docstore_pq_socket(const docstore_pq_connection *connection) { return PQsocket(connection); }
void docstore_pq_close(docstore_pq_connection *connection) { PQfinish(connection); }

int docstore_pq_prepare(docstore_pq_connection *connection, const char *name, const char *text, int count,
                        const uint32_t *types) {
  return PQsendPrepare(connection, name, text, count, types);
}

int docstore_pq_execute(docstore_pq_connection *connection, const char *name, int count, const char *const *values,
                        const int *lengths, const int *formats) {
  return PQsendQueryPrepared(connection, name, count, values, lengths, formats, 1);
}

int docstore_pq_sync(docstore_pq_connection *connection) { return PQpipelineSync(connection); }
int docstore_pq_flush(docstore_pq_connection *connection) { return PQflush(connection); }
int docstore_pq_receive(docstore_pq_connection *connection) { return PQconsumeInput(connection); }
int docstore_pq_must_wait(docstore_pq_connection *connection) { return PQisBusy(connection); }
docstore_pq_result *docstore_pq_next(docstore_pq_connection *connection) { return PQgetResult(connection); }

docstore_pq_notice *docstore_pq_next_notice(docstore_pq_connection *connection) { return PQnotifies(connection); }

int docstore_pq_result_kind(const docstore_pq_result *result) { return PQresultStatus(result); }
const char *docstore_pq_result_state(const docstore_pq_result *result) { return PQresultErrorField(result, 'C'); }
const char *docstore_pq_result_message(const docstore_pq_result *result) {
  const char *message = PQresultErrorField(result, 'M');
  return message != NULL ? message : PQresultErrorMessage(result);
}
int docstore_pq_row_count(const docstore_pq_result *result) { return PQntuples(result); }
const char *docstore_pq_value(const docstore_pq_result *result, int row, int column) {
  return PQgetvalue(result, row, column);
}
int docstore_pq_length(const docstore_pq_result *result, int row, int column) { return PQgetlength(result, row, column); }
int docstore_pq_is_null(const docstore_pq_result *result, int row, int column) {
  return PQgetisnull(result, row, column);
}
void docstore_pq_clear(docstore_pq_result *result) { PQclear(result); }
