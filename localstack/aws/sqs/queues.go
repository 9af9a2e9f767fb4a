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
	getQueueURLInput struct {
		QueueName              string
		QueueOwnerAWSAccountId string
	}
	getQueueAttributesInput struct {
		ofQueue
		AttributeNames []string
	}
	queueAttributes struct {
		Attributes map[string]string `json:",omitempty"`
	}
)

// createQueue is idempotent: an existing queue is returned when it has every attribute that was given.
func (e *Engine) createQueue(c call, in createQueueInput) (queueOutput, error) {
	if in.QueueName == "" {
		return queueOutput{}, fail(missingParameter, "The request must contain the parameter QueueName.")
	}
	if !queueName.MatchString(in.QueueName) {
		return queueOutput{}, fail(invalidParameter,
			"Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length")
	}
	attributes, err := e.complete(in.QueueName, in.Attributes)
	if err != nil {
		return queueOutput{}, err
	}
	if existing := e.queues[in.QueueName]; existing != nil {
		for name := range in.Attributes {
			if existing.Attributes[name] != attributes[name] {
				return queueOutput{}, fail(queueNameExists,
					"A queue already exists with the same name and a different value for attribute %s", name)
			}
		}
		return queueOutput{c.base + e.path() + in.QueueName}, nil
	}
	q := newQueue(in.QueueName, attributes, e.now())
	if err := e.persist(note{Queue: q}); err != nil {
		return queueOutput{}, err
	}
	e.queues[q.Name] = q
	return queueOutput{c.base + e.path() + in.QueueName}, nil
}

func (e *Engine) getQueueURL(c call, in getQueueURLInput) (queueOutput, error) {
	if owner := in.QueueOwnerAWSAccountId; owner != "" && owner != e.config.Account {
		return queueOutput{}, fail(queueDoesNotExist, "The specified queue does not exist.")
	}
	q, err := e.queueNamed(in.QueueName)
	if err != nil {
		return queueOutput{}, err
	}
	return queueOutput{c.base + e.path() + q.Name}, nil
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
		case m.inflight(now):
			inflight++
		case m.visible(now):
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
