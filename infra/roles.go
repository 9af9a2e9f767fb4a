package main

import (
	"net/mail"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/jsii-runtime-go"

	"github.com/cashwrap/cashwrap/functions"
)

// addRole adds the function's role. The role gets the function's rights from functions/access.json, on the table, the
// table's indexes and the queues.
func (p *platform) addRole(f functions.Function, log awslogs.LogGroup) awsiam.Role {
	role := awsiam.NewRole(p.stack, text("Role"+pascal(f.Name)), &awsiam.RoleProps{
		AssumedBy:   awsiam.NewServicePrincipal(text("lambda.amazonaws.com"), nil),
		Description: text("Cashwrap, " + p.Stage + ": what " + f.Name + " may do"),
	})
	log.GrantWrite(role)
	access := f.Access()
	if len(access.Secrets) > 0 {
		// Lambda decrypts the environment by a grant. The grant ends when the role is replaced, but this right remains.
		allow(role, []string{"kms:Decrypt"}, p.key.KeyArn())
	}
	for _, right := range access.Table {
		p.allowOnTable(role, right)
	}
	if len(access.Table) > 0 || f.Stream != nil {
		p.allowTableKey(role)
	}
	for _, q := range access.Sends {
		allow(role, []string{"sqs:SendMessage"}, p.queues[q.Name].QueueArn())
	}
	if access.Objects {
		p.allowObjects(role)
	}
	if access.Mails {
		p.allowMails(role)
	}
	p.allowSource(role, f)
	return role
}

// allowMails lets a role send mails, but only from the stage's address and with the address's domain, which is verified
// at SES. If the stage has no address, the role gets no right to send mails.
func (p *platform) allowMails(role awsiam.Role) {
	from, err := mail.ParseAddress(p.MailFrom)
	if err != nil { // the stage has no address; a malformed address was refused earlier
		return
	}
	_, domain, _ := strings.Cut(from.Address, "@")
	identity := p.stack.FormatArn(&awscdk.ArnComponents{Service: text("ses"), Resource: text("identity"),
		ResourceName: &domain})
	role.AddToPolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions: jsii.Strings("ses:SendEmail"), Resources: &[]*string{identity},
		Conditions: &map[string]any{"StringEquals": map[string]any{"ses:FromAddress": from.Address}}}))
}

// leadingKeys is the condition key for the partition keys in a request. In a request to an index, these are the index's
// partition keys (AWS: "Using IAM policy conditions for fine-grained access control").
const leadingKeys = "dynamodb:LeadingKeys"

// allowOnTable allows an action on partitions of the right's kinds. ForAllValues also holds for a request without keys,
// so the Null condition excludes such requests.
func (p *platform) allowOnTable(role awsiam.Role, right functions.Right) {
	resource := p.table.TableArn()
	if right.Index != "" {
		resource = text(*resource + "/index/" + right.Index)
	}
	statement := awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions: jsii.Strings("dynamodb:" + right.Action), Resources: &[]*string{resource}})
	if len(right.Kinds) > 0 {
		statement.AddCondition(text("ForAllValues:StringLike"), map[string]any{leadingKeys: keyPatterns(right.Kinds...)})
		statement.AddCondition(text("Null"), map[string]any{leadingKeys: "false"})
	}
	role.AddToPolicy(statement)
}

// tableKeyActions are the actions on the key that DynamoDB takes on behalf of its callers (AWS: "DynamoDB encryption at
// rest", customer managed keys).
var tableKeyActions = []string{"kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey",
	"kms:GenerateDataKeyWithoutPlaintext", "kms:ReEncryptFrom", "kms:ReEncryptTo"}

// allowTableKey lets the role use the table's key, but only through DynamoDB.
func (p *platform) allowTableKey(role awsiam.Role) {
	role.AddToPolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions: jsii.Strings(tableKeyActions...), Resources: &[]*string{p.tableKey.KeyArn()},
		Conditions: &map[string]any{"StringEquals": map[string]any{
			"kms:ViaService": "dynamodb." + *p.stack.Region() + ".amazonaws.com"}}}))
}

func keyPatterns(kinds ...string) []string {
	var patterns []string
	for _, kind := range kinds {
		patterns = append(patterns, kind+"#*")
	}
	return patterns
}

// allowSource lets Lambda read the function's queue or stream with the function's role.
func (p *platform) allowSource(role awsiam.Role, f functions.Function) {
	switch {
	case f.Queue != nil:
		allow(role, []string{"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"},
			p.queues[f.Queue.From.Name].QueueArn())
	case f.Stream != nil:
		allow(role, []string{"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"},
			p.table.TableStreamArn())
		allow(role, []string{"dynamodb:ListStreams"}, text(*p.table.TableArn()+"/stream/*"))
	}
}

func allow(role awsiam.Role, actions []string, resources ...*string) {
	role.AddToPolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions: jsii.Strings(actions...), Resources: &resources}))
}
