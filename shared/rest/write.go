package rest

import "net/http"

// Write sends the document in answer to a request that no route takes: pages of the local run have the same headers and
// policy as those of functions.
func (d Document) Write(w http.ResponseWriter, r *http.Request) {
	answer, err := d.reply(withRequest(r.Context(), r))
	if err != nil { // of a body that cannot be unpacked, which such pages have not
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer.write(w, r.Method)
}
