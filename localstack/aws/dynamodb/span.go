package dynamodb

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/expr"
)

// span returns the range of orders that a query's key conditions allow.
func (s schema) span(terms []expr.KeyTerm) (span, error) {
	hash, sort, err := s.match(terms)
	if err != nil {
		return span{}, err
	}
	partition := string(appendPartition(nil, hash.Low))
	if sort == nil {
		return span{partition, attr.PrefixEnd(partition)}, nil
	}
	return sortSpan(partition, *sort), nil
}

const errMissedKey = attr.Invalid("Query condition missed key schema element")

// match returns the term of the partition key, which must be an equality. It also returns the term of the sort key, or
// nil if there is no such term.
func (s schema) match(terms []expr.KeyTerm) (hash, sort *expr.KeyTerm, err error) {
	for i := range terms {
		switch terms[i].Name {
		case s.hash.name:
			hash = &terms[i]
		case s.sort.name:
			sort = &terms[i]
		}
	}
	switch {
	case hash == nil:
		return nil, nil, attr.Invalidf("%s: %s", errMissedKey, s.hash.name)
	case len(terms) > 2:
		return nil, nil, attr.Invalid("Conditions can be of length 1 or 2 only")
	case len(terms) == 2 && sort == nil:
		return nil, nil, errMissedKey
	case hash.Op != "=":
		return nil, nil, attr.Invalid("Query key condition not supported")
	}
	if err := checkTerm(s.hash, hash); err != nil {
		return nil, nil, err
	}
	if sort != nil {
		return hash, sort, checkTerm(s.sort, sort)
	}
	return hash, nil, nil
}

func checkTerm(k keyAttribute, term *expr.KeyTerm) error {
	for _, v := range []attr.Value{term.Low, term.High} {
		if v.Kind() != k.kind {
			return badValue("Condition parameter type does not match schema type")
		}
		if v.Kind() != attr.N && v.Str() == "" {
			return emptyKey(k)
		}
	}
	if term.Op == "begins_with" && k.kind == attr.N {
		return badValue("ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type")
	}
	if term.Op == "BETWEEN" && attr.Compare(term.Low, term.High) > 0 {
		return attr.Invalid("The BETWEEN condition was provided a range where the lower bound is greater than the upper " +
			"bound")
	}
	return nil
}

func sortSpan(partition string, term expr.KeyTerm) span {
	low := string(attr.AppendKey([]byte(partition), term.Low))
	first, afterLast := partition, attr.PrefixEnd(partition)
	at := low + attr.KeyTerminator
	switch term.Op {
	case "=":
		return span{at, attr.PrefixEnd(at)}
	case "<":
		return span{first, at}
	case "<=":
		return span{first, attr.PrefixEnd(at)}
	case ">":
		return span{attr.PrefixEnd(at), afterLast}
	case ">=":
		return span{at, afterLast}
	case "begins_with":
		return span{low, attr.PrefixEnd(low)}
	}
	high := string(attr.AppendKey([]byte(partition), term.High)) + attr.KeyTerminator // BETWEEN
	return span{at, attr.PrefixEnd(high)}
}

const maxSegments = 1_000_000 // API reference, Scan

// segmentSpan returns one segment of a parallel scan as a range of orders. An order begins with a hash (see
// appendPartition), so segments are ranges of hashes.
func segmentSpan(segment, segments *int) (span, error) {
	switch {
	case segment == nil && segments == nil:
		return span{}, nil
	case segments == nil:
		return span{}, attr.Invalid("If segment is specified, total segment must also be specified")
	case segment == nil:
		return span{}, attr.Invalid("The Segment parameter is required but was not present in the request when parameter " +
			"TotalSegments is present")
	}
	if err := checkLimit("totalSegments", *segments, maxSegments); err != nil {
		return span{}, err
	}
	if *segment < 0 || *segment >= *segments {
		return span{}, constraintError(fmt.Sprintf(" '%d'", *segment), "segment",
			fmt.Sprint("have value less than or equal to ", *segments-1))
	}
	sp := span{low: segmentBound(*segment, *segments)}
	if *segment+1 < *segments {
		sp.high = segmentBound(*segment+1, *segments)
	}
	return sp, nil
}

// segmentBound returns ⌊segment × 2⁶⁴ / segments⌋ as eight bytes.
func segmentBound(segment, segments int) string {
	bound, _ := bits.Div64(uint64(segment), 0, uint64(segments))
	return string(binary.BigEndian.AppendUint64(nil, bound))
}
