/// Rules as the formatter writes them.
enum FormatterStyleSample {
  static let texts = [
    #"""
    // Rules of a library: who may borrow, and what a loan looks like.
    rules_version = '2';

    service cloud.firestore {
      match /databases/{database}/documents {
        // ---- People ----

        function signedIn() { return request.auth != null; }

        function isReader(uid) {
          return signedIn() && request.auth.uid == uid;
        }

        /**
         * Staff are marked by a claim.
         */
        function isStaff() {
          return signedIn()
            && request.auth.token.role in ['librarian', 'director'] // set by the server
            && request.auth.token.email_verified;
        }

        function reader(uid) {
          return get(/databases/$(database)/documents/readers/$(uid)).data;
        }

        // @id books
        match /books/{isbn} {
          allow read; // everybody
          allow write: if isStaff();

          // @id loans
          match /loans/{loan} {
            function validLoan(data) {
              let due = data.due;
              let fields = ['reader', 'due', 'note'];

              return data.keys().hasOnly(fields)
                && data.reader is string
                && due is timestamp
                && due > request.time
                && due < request.time + duration.value(28, 'd')
                && (!('note' in data)
                  || (data.note is string && data.note.size() <= 200)
                  || data.note == null);
            }

            // The state of the reader decides how many.
            function allowance(state) {
              return state == 'child' ? 3
                : state == 'adult' ? 10
                : state == 'staff' ? 100
                : 0;
            }

            allow get: if isReader(resource.data.reader) || isStaff();
            allow list: if isStaff();
            allow create: if isReader(request.resource.data.reader)
              && validLoan(request.resource.data)
              && reader(request.auth.uid).loanCount < allowance(reader(request.auth.uid).state);
            allow update: if (
              isStaff()
              || request.resource.data.diff(resource.data).affectedKeys().hasOnly(['note'])
            );
            allow delete: if isStaff()
              && resource.data.diff({
                'reader': request.auth.uid,
                'due': resource.data.due // unchanged
              }).affectedKeys().size() == 0;
          }
        }

        match /settings/public { allow read: if true; }
        match /{document=**} { allow read, write: if false; }
      }
    }
    // End of the rules.

    """#,
    #"""
    service firebase.storage {
      match /b/{bucket}/o {
        match /pictures/{owner}/{name=**} {
          allow read;
          allow write: if request.auth.uid == owner
            && request.resource.size < 5 * 1024 * 1024
            && request.resource.contentType.matches('image/.*');
        }
      }
    }

    """#,
  ]
}
