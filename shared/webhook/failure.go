package webhook

import "strconv"

// Reason says why a delivery failed, in a form for logs and metrics.
type Reason string

// The reasons. All of them are retried on the schedule of contract §11.3.
const (
	ReasonURL       Reason = "url_refused"     // CheckURL refused the target
	ReasonLookup    Reason = "name_unresolved" // DNS gave no address
	ReasonAddress   Reason = "address_refused" // an address or port is not permitted
	ReasonConnect   Reason = "connect_failed"  // refused, or unreachable
	ReasonTLS       Reason = "tls_failed"
	ReasonTimeout   Reason = "timeout"      // no answer within AnswerTimeout, or none from DNS or the address
	ReasonRedirect  Reason = "redirected"   // 3xx, never followed
	ReasonStatus    Reason = "status"       // any other non-2xx
	ReasonProtocol  Reason = "bad_response" // not an HTTP answer
	ReasonCancelled Reason = "cancelled"    // the caller gave up first
)

// DeliveryError is a failed attempt. It deliberately wraps no cause: those of
// net/http contain the URL, whose query may have a merchant's token.
type DeliveryError struct {
	Reason Reason
	Status int // the HTTP status, for ReasonRedirect and ReasonStatus; otherwise 0
}

// Error names the reason and status, never the target or any content.
func (e *DeliveryError) Error() string {
	if e.Status == 0 {
		return "webhook: not delivered: " + string(e.Reason)
	}
	return "webhook: not delivered: " + string(e.Reason) + " " + strconv.Itoa(e.Status)
}
