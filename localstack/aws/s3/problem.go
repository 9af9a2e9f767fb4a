package s3

import (
	"encoding/xml"
	"net/http"
)

type problem struct {
	XMLName xml.Name `xml:"Error"`
	Code    string
	Message string
	Headers string `xml:"HeadersNotSigned,omitempty"`
	status  int
}

func refuse(status int, code, message string) *problem {
	return &problem{Code: code, Message: message, status: status}
}

func denied(message string) *problem { return refuse(http.StatusForbidden, "AccessDenied", message) }

func (p *problem) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(p.status)
	_, _ = w.Write([]byte(xml.Header)) // only fails if the client has gone
	_ = xml.NewEncoder(w).Encode(p)
}
