/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/src/viewer/filtered.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/document/reader.h"
#include "src/viewer/model/model.h"

/* JSON with ' for ". */
static const char document[] =
	"{'format':'gosnap','version':1,'go':{'version':'go1.24','module':'example.com/"
	"shop'},\n"
	"'findings':[{'kind':'lock_held','goroutines':[7,9]},{'kind':'spins','goroutines'"
	":[9]}],\n"
	"'groups':[\n"
	"{'id':0,'count':2,'frames':["
	"{'function':'runtime.gopark','file':'/go/src/runtime/"
	"proc.go','line':435,'pc':'0x43ac8e','hidden':true,'language':'go'},"
	"{'function':'database/sql.(*DB).conn','file':'/go/src/database/sql/"
	"sql.go','line':1369,'pc':'0x7c0011','language':'go'},"
	"{'function':'example.com/shop/web.(*Server).order','file':'/src/shop/web/"
	"order.go','line':88,'pc':'0x7a2210','inlined':true,'language':'go'},"
	"{'function':'main.main','file':'/src/shop/"
	"main.go','line':20,'pc':'0x7a0000','language':'go'}]},\n"
	"{'id':1,'count':1,'frames':[{'function':'epoll_wait','pc':'0x7f12aa0fe2b0','"
	"language':'c'}]},\n"
	"{'id':2,'count':1,'frames':[{'function':'runtime.bgsweep','file':'/go/src/"
	"runtime/mgcsweep.go','line':1,'pc':'0x42a001','language':'go'}]}],\n"
	"'goroutines':[\n"
	"{'id':7,'status':'waiting','wait_reason':'chan "
	"receive','waiting_ns':600000000000,'group':0,"
	"'waiting_for':{'kind':'channel','operation':'receive','address':'0xc000010000','"
	"len':0,'cap':4,'closed':false},"
	"'labels':[{'key':'tenant','value':'acme'},{'key':'http.route','value':'/"
	"order'},{'key':'odd key','value':'x'},{'key':'hidden'}],"
	"'created_by':{'function':'main.main','file':'/src/shop/"
	"main.go','line':17,'pc':'0x7a0100','goroutine':1},"
	"'stack':{'size_bytes':8192,'used_bytes':1234},"
	"'frames':[{'function':'runtime.gopark','hidden':true},"
	"{'function':'database/"
	"sql.(*DB).conn','arguments':[{'name':'db','type':'*sql.DB','kind':'pointer','to'"
	":'0xc000020000','object':0},"
	"{'name':'secret','type':'string','redacted':'name','len':16},{'name':'gone','"
	"type':'int','optimized_out':true}]},"
	"{'function':'example.com/shop/web.(*Server).order','arguments':["
	"{'name':'req','type':'*http.Request','kind':'pointer','to':'0xc000030000','"
	"object':1},"
	"{'name':'n','type':'int','value':42}],"
	"'locals':[{'name':'err','type':'error','kind':'interface','dynamic_type':'*"
	"errors.errorString','dynamic_value':"
	"{'type':'*errors.errorString','kind':'pointer','text':'no "
	"rows','printer':'error','to':'0xc000040000','object':3}},"
	"{'name':'ids','type':'[]int','kind':'slice','len':3,'cap':4,'to':'0xc000050000',"
	"'elements':[{'type':'int','value':3},{'type':'int','value':5},{'type':'int','"
	"value':8}]},"
	"{'name':'big','type':'uint64','value':'18446744073709551615'},"
	"{'name':'wait','type':'time.Duration','kind':'int64','value':90000000000,'text':"
	"'1m30s','printer':'time'},"
	"{'name':'ok','type':'bool','value':true},{'name':'none','type':'*int','kind':'"
	"pointer','nil':true},"
	"{'name':'bad','type':'string','unreadable':'no readable memory there'}]},"
	"{'function':'main.main','locals':[{'name':'n','type':'int','value':1}]}]},\n"
	"{'id':8,'status':'waiting','wait_reason':'select','waiting_ns':5000000000,'"
	"group':0,"
	"'waiting_for':{'kind':'select','cases':[{'operation':'receive','address':'"
	"0xc000010000'},{'operation':'send','address':'0xc000011000'}]},"
	"'labels':[{'key':'tenant','value':'zoo'}],'frames':[{'function':'runtime.gopark'"
	",'hidden':true},"
	"{'function':'database/"
	"sql.(*DB).conn','arguments':[{'name':'db','type':'*sql.DB','kind':'pointer','to'"
	":'0xc000020000','object':0}]},"
	"{'function':'example.com/shop/"
	"web.(*Server).order','arguments':[{'name':'n','type':'int','value':7}]},{'"
	"function':'main.main'}]},\n"
	"{'id':9,'status':'syscall','thread':4711,'locked':true,'group':1,'runnable_ns':"
	"20000000,'panics':[{'value':1}],"
	"'waiting_for':{'kind':'network','operation':'read','fd':7,'protocol':'tcp','"
	"local':'10.0.0.7:41022','remote':'10.0.0.9:5432'},"
	"'trace':{'trace_id':'4bf92f3577b34da6a3ce929d0e0e4736','span_id':'"
	"00f067aa0ba902b7'},'context_error':'context canceled'},\n"
	"{'id':4,'status':'waiting','wait_reason':'GC sweep "
	"wait','system':true,'group':2,'unwind':{'status':'lost','reason':'x'}},\n"
	"{'id':11,'status':'runnable','group':99,'frames':[{'function':'main.lonely','"
	"file':'/src/shop/main.go','line':3,'pc':'0x7a0200','language':'go',"
	"'locals':[{'name':'n','type':'int','value':-3}]}]}],\n"
	"'objects':[\n"
	"{'type':'sql.DB','kind':'struct','fields':[{'name':'pool','type':'sql.pool','"
	"kind':'struct','embedded':true,'fields':[{'name':'open','type':'int','value':12}"
	"]},"
	"{'name':'stats','type':'*sql.stats','kind':'pointer','embedded':true,'to':'"
	"0xc000060000','object':4},"
	"{'name':'self','type':'*sql.DB','kind':'pointer','to':'0xc000020000','object':0}"
	"]},\n"
	"{'type':'http.Request','kind':'struct','fields':[{'name':'URL','type':'*url.URL'"
	",'kind':'pointer','text':'/api/v1?q=1','to':'0xc000070000','object':2},"
	"{'name':'Header','type':'http.Header','kind':'map','to':'0xc000080000','object':"
	"5},{'name':'Method','type':'string','len':3,'value':'GET'}]},\n"
	"{'type':'url.URL','kind':'struct','fields':[{'name':'Path','type':'string','len'"
	":7,'value':'/api/v1'}]},\n"
	"{'type':'errors.errorString','kind':'struct','fields':[{'name':'s','type':'"
	"string','value':'no rows'}]},\n"
	"{'type':'sql.stats','kind':'struct','fields':[{'name':'waits','type':'int64','"
	"value':3},{'name':'open','type':'int','value':99}]},\n"
	"{'type':'http.Header','kind':'map','len':2,'entries':[{'key':{'type':'string','"
	"value':'X-Id'},'value':{'type':'[]string','kind':'slice','len':1,'elements':[{'"
	"type':'string','value':'abc'}]}},"
	"{'key':{'type':'int','value':7},'value':{'type':'string','value':'seven'}}]}],\n"
	"'end':{'goroutines':5}}\n";

struct model *filtered_model(void)
{
	const int fd = memfd_create("document", MFD_CLOEXEC);
	char *text = strdup(document);
	struct err err;

	assert(fd >= 0 && text);
	for (char *at = text; (at = strchr(at, '\'')); at++)
		*at = '"';
	const ssize_t written = write(fd, text, strlen(text));
	assert(written == (ssize_t)strlen(text) && lseek(fd, 0, SEEK_SET) == 0);
	free(text);
	struct reader *reader = reader_open_fd(fd, "the document", &err);
	assert(reader);
	struct model *m = model_load(reader, &err);
	assert(m && !model_damage(m));
	return m;
}
