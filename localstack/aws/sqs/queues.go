package sqs

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
)

var queueName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)

type (
	empty       struct{}
	queueOutput struct{ QueueUrl string }

	createQueueInput struct {
		QueueName  string
		Attributes map[string]string
	}
	getQueueAttributesInput struct {
		ofQueue
		AttributeNames []string
	}
	queueAttributes struct {
		Attributes map[string]string `json:",omitempty"`
	}
)

// createQueue creates a queue. If a queue with that name has all given attributes, createQueue returns that queue.
func (e *Engine) createQueue(c call, in createQueueInput) (queueOutput, error) {
	out := queueOutput{c.base + path + in.QueueName}
	if in.QueueName == "" {
		return out, fail(missingParameter, "The request must contain the parameter QueueName.")
	}
	if !queueName.MatchString(in.QueueName) {
		return out, fail(invalidParameter,
			"Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length")
	}
	attributes, err := e.completeAttributes(in.QueueName, in.Attributes)
	if err != nil {
		return out, err
	}
	if existing := e.queues[in.QueueName]; existing != nil {
		for name := range in.Attributes {
			if existing.Attributes[name] != attributes[name] {
				return out, fail(queueNameExists,
					"A queue already exists with the same name and a different value for attribute %s", name)
			}
		}
		return out, nil
	}
	q := newQueue(in.QueueName, attributes, e.now())
	if err := e.persist(note{Queue: q}); err != nil {
		return out, err
	}
	e.queues[q.Name] = q
	return out, nil
}

func (e *Engine) getQueueURL(c call, in struct{ QueueName string }) (out queueOutput, err error) {
	if e.queues[in.QueueName] == nil {
		return out, errNoQueue
	}
	return queueOutput{c.base + path + in.QueueName}, nil
}

func (e *Engine) getQueueAttributes(q *queue, in getQueueAttributesInput) (queueAttributes, error) {
	all := e.allAttributes(q)
	if slices.Contains(in.AttributeNames, everyAttribute) {
		return queueAttributes{all}, nil
	}
	wanted := map[string]string{}
	for _, name := range in.AttributeNames {
		if value, ok := all[name]; ok {
			wanted[name] = value
		} else if name != redrivePolicy {
			return queueAttributes{}, fail(invalidAttributeName, "Unknown Attribute %s.", name)
		}
	}
	return queueAttributes{wanted}, nil
}

func (e *Engine) allAttributes(q *queue) map[string]string {
	var visible, inflight, delayed int
	now := e.now()
	for _, m := range q.Messages {
		switch {
		case m.isInflight(now):
			inflight++
		case m.isVisible(now):
			visible++
		default:
			delayed++
		}
	}
	all := maps.Clone(q.Attributes)
	all[queueARN] = e.arn(q.Name)
	all[createdTime] = strconv.FormatInt(q.Created.Unix(), 10)
	all[countVisible] = strconv.Itoa(visible)
	all[countInflight] = strconv.Itoa(inflight)
	all[countDelayed] = strconv.Itoa(delayed)
	return all
}
