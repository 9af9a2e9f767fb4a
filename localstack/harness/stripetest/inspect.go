package stripetest

import "strings"

// Find returns the intent ("attempt") or refund ("refund") with our id and the status, or nil.
func (s *StandIn) Find(name, id, status string) Object {
	for _, o := range s.Objects {
		of, _ := o["metadata"].(Object)
		kind := map[any]string{"payment_intent": "attempt", "setup_intent": "attempt", "refund": "refund"}[o["object"]]
		if kind == name && of[name] == id && o["status"] == status {
			return o
		}
	}
	return nil
}

// Count returns the number of requests of the operation.
func (s *StandIn) Count(method, suffix string) int {
	return len(s.Requests(method, suffix))
}

// Requests returns the forms of the requests whose paths end with the suffix.
func (s *StandIn) Requests(method, suffix string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var forms []string
	for _, request := range s.Taken {
		parts := strings.SplitN(request, " ", 3)
		if parts[0] == method && strings.HasSuffix(parts[1], suffix) {
			forms = append(forms, parts[2])
		}
	}
	return forms
}

// Instead has the stand-in answer the next request of the operation with the status and error.
func (s *StandIn) Instead(operation string, status int, kind, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, body := refuse(status, kind, code)
	s.Next[operation] = Reply{Status: status, Body: body}
}

// Statuses returns the statuses of all intents.
func (s *StandIn) Statuses() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for id, o := range s.Objects {
		if strings.HasPrefix(id, "pi_") || strings.HasPrefix(id, "seti_") {
			all = append(all, o["status"].(string))
		}
	}
	return all
}
