package dynamodb

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// plan is a CreateTable request.
type plan struct {
	definition
	keySchema  []keyElement
	billing    string
	streamView string
	indexes    []indexPlan
}

type indexPlan struct {
	name       string
	keySchema  []keyElement
	projection string
	include    []string
}

type keyElement struct{ name, role string }

func readPlan(r *attr.Reader) (*plan, error) {
	p := &plan{}
	err := r.Object(func(name string) (err error) {
		switch name {
		case "TableName":
			p.name, err = r.Str()
		case "AttributeDefinitions":
			p.attributes, err = readDefinitions(r)
		case "KeySchema":
			p.keySchema, err = readKeySchema(r)
		case "BillingMode":
			p.billing, err = r.Str()
		case "ProvisionedThroughput":
			p.readUnits, p.writeUnits, err = readThroughput(r)
		case "DeletionProtectionEnabled":
			p.protected, err = r.Bool()
		case "StreamSpecification":
			p.streamView, err = readStreamView(r)
		case "GlobalSecondaryIndexes":
			p.indexes, err = readIndexPlans(r)
		default:
			err = refuseParameter("CreateTable", name)
		}
		return err
	})
	return p, err
}

// members reads an object of text members, each of which it must know.
func members(r *attr.Reader, object string, into map[string]*string) error {
	return r.Object(func(name string) (err error) {
		to, known := into[name]
		if !known {
			return refuseParameter(object, name)
		}
		*to, err = r.Str()
		return err
	})
}

func readDefinitions(r *attr.Reader) ([]keyAttribute, error) {
	var attributes []keyAttribute
	err := r.Array(func() error {
		var name, letters string
		if err := members(r, "AttributeDefinition", map[string]*string{"AttributeName": &name,
			"AttributeType": &letters}); err != nil {
			return err
		}
		kind, ok := attr.ParseKind(letters)
		if !ok || !kind.IsScalarKey() {
			return attr.Invalidf("1 validation error detected: Value '%s' at 'attributeType' failed to satisfy constraint: "+
				"Member must satisfy enum value set: [B, N, S]", letters)
		}
		attributes = append(attributes, keyAttribute{name, kind})
		return nil
	})
	return attributes, err
}

func readKeySchema(r *attr.Reader) ([]keyElement, error) {
	var elements []keyElement
	err := r.Array(func() error {
		var e keyElement
		err := members(r, "KeySchemaElement", map[string]*string{"AttributeName": &e.name, "KeyType": &e.role})
		elements = append(elements, e)
		return err
	})
	return elements, err
}

func readThroughput(r *attr.Reader) (read, write int, err error) {
	err = r.Object(func(name string) (err error) {
		switch name {
		case "ReadCapacityUnits":
			read, err = r.Int()
		case "WriteCapacityUnits":
			write, err = r.Int()
		default:
			err = refuseParameter("ProvisionedThroughput", name)
		}
		return err
	})
	return read, write, err
}

var streamViews = []string{"KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"}

func readStreamView(r *attr.Reader) (view string, err error) {
	enabled := false
	err = r.Object(func(name string) (err error) {
		switch name {
		case "StreamEnabled":
			enabled, err = r.Bool()
		case "StreamViewType":
			view, err = r.Str()
		default:
			err = refuseParameter("StreamSpecification", name)
		}
		return err
	})
	switch {
	case err != nil:
		return "", err
	case enabled != (view != ""):
		return "", attr.Invalid("One or more parameter values were invalid: StreamViewType and StreamEnabled do not agree")
	case enabled && !slices.Contains(streamViews, view):
		return "", attr.Invalidf("1 validation error detected: Value '%s' at 'streamViewType' failed to satisfy "+
			"constraint: Member must satisfy enum value set: %v", view, streamViews)
	}
	return view, nil
}

func readIndexPlans(r *attr.Reader) ([]indexPlan, error) {
	var plans []indexPlan
	err := r.Array(func() error {
		ix, err := readIndexPlan(r)
		plans = append(plans, ix)
		return err
	})
	return plans, err
}

func readStrings(r *attr.Reader) ([]string, error) {
	var all []string
	err := r.Array(func() error {
		s, err := r.Str()
		all = append(all, s)
		return err
	})
	return all, err
}

func readIndexPlan(r *attr.Reader) (indexPlan, error) {
	var ix indexPlan
	err := r.Object(func(name string) (err error) {
		switch name {
		case "IndexName":
			ix.name, err = r.Str()
		case "KeySchema":
			ix.keySchema, err = readKeySchema(r)
		case "Projection":
			ix.projection, ix.include, err = readProjection(r)
		case "ProvisionedThroughput":
			_, _, err = readThroughput(r)
		default:
			err = refuseParameter("GlobalSecondaryIndex", name)
		}
		return err
	})
	return ix, err
}

func readProjection(r *attr.Reader) (projection string, include []string, err error) {
	err = r.Object(func(name string) (err error) {
		switch name {
		case "ProjectionType":
			projection, err = r.Str()
		case "NonKeyAttributes":
			include, err = readStrings(r)
		default:
			err = refuseParameter("Projection", name)
		}
		return err
	})
	return projection, include, err
}

// table checks the plan and builds an empty table by it.
func (p *plan) table() (*table, error) {
	if err := checkTableName(p.name); err != nil {
		return nil, err
	}
	used := map[string]bool{}
	var err error
	if p.keys, err = p.resolve(p.keySchema, used); err != nil {
		return nil, err
	}
	t := &table{}
	for _, plan := range p.indexes {
		ix, err := p.index(plan, used)
		if err != nil {
			return nil, err
		}
		if _, err := t.index(ix.name); err == nil {
			return nil, attr.Invalidf("One or more parameter values were invalid: Duplicate index name: %s", ix.name)
		}
		t.indexes = append(t.indexes, ix)
	}
	for _, k := range p.attributes {
		if !used[k.name] {
			return nil, attr.Invalidf("One or more parameter values were invalid: Some AttributeDefinitions are not used. "+
				"AttributeDefinitions: [%s]", k.name)
		}
	}
	if err := p.checkBilling(); err != nil {
		return nil, err
	}
	t.definition = p.definition
	return t, nil
}

func (p *plan) checkBilling() error {
	provisioned := p.readUnits > 0 && p.writeUnits > 0
	p.onDemand = p.billing == "PAY_PER_REQUEST"
	switch {
	case p.billing != "" && p.billing != "PROVISIONED" && !p.onDemand:
		return attr.Invalidf("1 validation error detected: Value '%s' at 'billingMode' failed to satisfy constraint: "+
			"Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]", p.billing)
	case p.onDemand && provisioned:
		return attr.Invalid("One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits " +
			"can be specified when BillingMode is PAY_PER_REQUEST")
	case !p.onDemand && !provisioned:
		return attr.Invalid("One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both " +
			"be specified when BillingMode is PROVISIONED")
	}
	return nil
}

// resolve finds the attributes of a key schema among the definitions.
func (p *plan) resolve(elements []keyElement, used map[string]bool) (schema, error) {
	var s schema
	roles := [...]string{"HASH", "RANGE"}
	if len(elements) == 0 || len(elements) > len(roles) {
		return s, attr.Invalid("1 validation error detected: Value at 'keySchema' failed to satisfy constraint: Member " +
			"must have length between 1 and 2")
	}
	for i, e := range elements {
		if e.role != roles[i] {
			return s, attr.Invalidf("Invalid KeySchema: The %s KeySchemaElement is not a %s key type",
				[...]string{"first", "second"}[i], roles[i])
		}
		at := slices.IndexFunc(p.attributes, func(k keyAttribute) bool { return k.name == e.name })
		if at < 0 {
			return s, attr.Invalidf("One or more parameter values were invalid: Some index key attributes are not defined in "+
				"AttributeDefinitions. Keys: [%s]", e.name)
		}
		used[e.name] = true
		*[...]*keyAttribute{&s.hash, &s.sort}[i] = p.attributes[at]
	}
	if s.hash.name == s.sort.name {
		return s, attr.Invalid("Both the Hash Key and the Range Key element in the KeySchema have the same name")
	}
	return s, nil
}

func (p *plan) index(plan indexPlan, used map[string]bool) (*index, error) {
	if err := checkTableName(plan.name); err != nil {
		return nil, err
	}
	keys, err := p.resolve(plan.keySchema, used)
	if err != nil {
		return nil, err
	}
	ix := &index{name: plan.name, keys: keys, projection: plan.projection, include: plan.include}
	switch {
	case plan.projection != "INCLUDE" && plan.include != nil:
		return nil, attr.Invalidf("One or more parameter values were invalid: ProjectionType is %s, but NonKeyAttributes "+
			"is specified", plan.projection)
	case plan.projection == "ALL":
	case plan.projection == "KEYS_ONLY", plan.projection == "INCLUDE" && plan.include != nil:
		ix.kept = slices.Concat(p.keys.names(), keys.names(), plan.include)
	case plan.projection == "INCLUDE":
		return nil, attr.Invalid("One or more parameter values were invalid: ProjectionType is INCLUDE, but " +
			"NonKeyAttributes is not specified")
	default:
		return nil, attr.Invalidf("One or more parameter values were invalid: Unknown ProjectionType: %s", plan.projection)
	}
	return ix, nil
}

// append appends the table's description.
func (t *table) append(dst []byte, status string) []byte {
	dst = append(dst, `{"AttributeDefinitions":[`...)
	for i, k := range t.attributes {
		dst = fmt.Appendf(dst, `%s{"AttributeName":%s,"AttributeType":"%s"}`, comma(i), quote(k.name), k.kind)
	}
	dst = fmt.Appendf(dst, `],"TableName":%s,"KeySchema":%s,"TableStatus":"%s","CreationDateTime":%d.%03d,`+
		`"ProvisionedThroughput":{"NumberOfDecreasesToday":0,"ReadCapacityUnits":%d,"WriteCapacityUnits":%d},`+
		`"TableSizeBytes":%d,"ItemCount":%d,"TableArn":%s,"DeletionProtectionEnabled":%t`,
		quote(t.name), t.keys.json(), status, t.created.Unix(), t.created.Nanosecond()/1e6,
		t.readUnits, t.writeUnits, t.rows.bytes, t.rows.count, quote(t.arn()), t.protected)
	if t.onDemand {
		dst = append(dst, `,"BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"}`...)
	}
	for i, ix := range t.indexes {
		dst = append(dst, [...]string{`,"GlobalSecondaryIndexes":[`, ","}[min(i, 1)]...)
		dst = fmt.Appendf(dst, `{"IndexName":%s,"KeySchema":%s,"Projection":%s,"IndexStatus":"ACTIVE",`+
			`"IndexSizeBytes":%d,"ItemCount":%d,"IndexArn":%s}`,
			quote(ix.name), ix.keys.json(), ix.projectionJSON(), ix.rows.bytes, ix.rows.count, quote(t.arn()+"/index/"+ix.name))
	}
	if len(t.indexes) > 0 {
		dst = append(dst, ']')
	}
	if t.stream != nil {
		dst = fmt.Appendf(dst, `,"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"%s"},`+
			`"LatestStreamLabel":%s,"LatestStreamArn":%s`,
			t.stream.view, quote(t.stream.label), quote(t.stream.arn()))
	}
	return append(dst, '}')
}

// planJSON writes the table's definition as CreateTable takes it.
func (t *table) planJSON() []byte {
	dst := []byte(`{"TableName":`)
	dst = fmt.Appendf(dst, `%s,"KeySchema":%s,"DeletionProtectionEnabled":%t,"AttributeDefinitions":[`, quote(t.name),
		t.keys.json(), t.protected)
	for i, k := range t.attributes {
		dst = fmt.Appendf(dst, `%s{"AttributeName":%s,"AttributeType":"%s"}`, comma(i), quote(k.name), k.kind)
	}
	if t.onDemand {
		dst = append(dst, `],"BillingMode":"PAY_PER_REQUEST"`...)
	} else {
		dst = fmt.Appendf(dst, `],"ProvisionedThroughput":{"ReadCapacityUnits":%d,"WriteCapacityUnits":%d}`,
			t.readUnits, t.writeUnits)
	}
	dst = append(dst, `,"GlobalSecondaryIndexes":[`...)
	for i, ix := range t.indexes {
		dst = fmt.Appendf(dst, `%s{"IndexName":%s,"KeySchema":%s,"Projection":%s}`, comma(i), quote(ix.name),
			ix.keys.json(), ix.projectionJSON())
	}
	dst = append(dst, ']')
	if t.stream != nil {
		dst = fmt.Appendf(dst, `,"StreamSpecification":{"StreamEnabled":true,"StreamViewType":%s}`, quote(t.stream.view))
	}
	return append(dst, '}')
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

func quote(s string) []byte { return attr.AppendString(nil, s) }

func (s schema) json() []byte {
	dst := fmt.Appendf(nil, `[{"AttributeName":%s,"KeyType":"HASH"}`, quote(s.hash.name))
	if s.sort.name != "" {
		dst = fmt.Appendf(dst, `,{"AttributeName":%s,"KeyType":"RANGE"}`, quote(s.sort.name))
	}
	return append(dst, ']')
}

func (ix *index) projectionJSON() string {
	if ix.include == nil {
		return `{"ProjectionType":"` + ix.projection + `"}`
	}
	names := make([]string, len(ix.include))
	for i, n := range ix.include {
		names[i] = string(quote(n))
	}
	return `{"ProjectionType":"INCLUDE","NonKeyAttributes":[` + strings.Join(names, ",") + `]}`
}
