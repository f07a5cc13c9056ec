"""An MCP server over stdio whose answers a JSON file decides: {method: result, ...}.

`tools/call` is answered by the name of the tool. Results are sent as they stand there.
"""

import json
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    answers = json.load(file)

for line in sys.stdin:
    asked = json.loads(line)
    method = asked.get('method')
    if 'id' not in asked:
        continue
    answer = {'jsonrpc': '2.0', 'id': asked['id']}
    if method == 'initialize':
        answer['result'] = {
            'protocolVersion': '2025-06-18',
            'capabilities': {'tools': {}},
            'serverInfo': {'name': 'odd', 'version': '1'},
        }
    elif method == 'tools/call':
        answer['result'] = answers['calls'][asked['params']['name']]
    elif method in answers:
        answer['result'] = answers[method]
    else:
        answer['error'] = {'code': -32601, 'message': 'no such method'}
    print(json.dumps(answer), flush=True)
