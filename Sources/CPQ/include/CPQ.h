// libpq, PostgreSQL's client library, found when it is needed: the program starts without it.
//
// Declarations of our own, so that nothing of it is needed to build. What they say is the library's binary interface,
// which has not changed since version 14 (pipelines); see "libpq" in PostgreSQL's manual.
#ifndef DOCSTORE_PQ_H
#define DOCSTORE_PQ_H

#include <stddef.h>
#include <stdint.h>

typedef struct docstore_pq_connection docstore_pq_connection;
typedef struct docstore_pq_result docstore_pq_result;

// What a session said to all that listen. The fields are the library's.
typedef struct docstore_pq_notice {
  char *channel;
  int process;
  char *text;
  struct docstore_pq_notice *next;
} docstore_pq_notice;

// What a result is. The numbers are the library's.
typedef enum {
  DOCSTORE_PQ_COMMAND_DONE = 1,
  DOCSTORE_PQ_ROWS = 2,
  DOCSTORE_PQ_SYNC = 10,
  DOCSTORE_PQ_PASSED_OVER = 11,
} docstore_pq_kind;

// Loads the library once. NULL when it is there, else what is missing, for as long as the process lives.
const char *docstore_pq_load(void);

// Reads a connection string. NULL when it is one, else why not, to be given to `docstore_pq_free`.
char *docstore_pq_check(const char *text);
void docstore_pq_free(void *memory);

// Connects, and enters pipeline mode without blocking. Never NULL, unless memory is; the caller closes it.
docstore_pq_connection *docstore_pq_connect(const char *text, int seconds);
int docstore_pq_is_open(const docstore_pq_connection *connection);
int docstore_pq_version(const docstore_pq_connection *connection);
const char *docstore_pq_message(const docstore_pq_connection *connection);
int docstore_pq_socket(const docstore_pq_connection *connection);
void docstore_pq_close(docstore_pq_connection *connection);

// All of them queue; 0 when the connection is lost.
int docstore_pq_prepare(docstore_pq_connection *connection, const char *name, const char *text, int count,
                        const uint32_t *types);
int docstore_pq_execute(docstore_pq_connection *connection, const char *name, int count, const char *const *values,
                        const int *lengths, const int *formats);
int docstore_pq_sync(docstore_pq_connection *connection);
// 0 when everything is sent, 1 when more is to be sent, -1 when the connection is lost.
int docstore_pq_flush(docstore_pq_connection *connection);
int docstore_pq_receive(docstore_pq_connection *connection);
int docstore_pq_must_wait(docstore_pq_connection *connection);
// NULL between the results of two statements.
docstore_pq_result *docstore_pq_next(docstore_pq_connection *connection);

// The next notice that has come; NULL when there is none. To be given to `docstore_pq_free`.
docstore_pq_notice *docstore_pq_next_notice(docstore_pq_connection *connection);

int docstore_pq_result_kind(const docstore_pq_result *result);
// Five letters and figures; NULL where the library itself failed.
const char *docstore_pq_result_state(const docstore_pq_result *result);
const char *docstore_pq_result_message(const docstore_pq_result *result);
int docstore_pq_row_count(const docstore_pq_result *result);
const char *docstore_pq_value(const docstore_pq_result *result, int row, int column);
int docstore_pq_length(const docstore_pq_result *result, int row, int column);
int docstore_pq_is_null(const docstore_pq_result *result, int row, int column);
void docstore_pq_clear(docstore_pq_result *result);

#endif
