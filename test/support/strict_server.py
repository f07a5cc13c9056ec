"""What the strictest servers refuse."""

import re

from soul.mind.transcript import problems
from support.messages import typed

WRONG_TURNS = {('user', 'user'), ('tool', 'user'), ('system', 'assistant')}


def strict_problems(messages):
    """What a strict server of this protocol would refuse; a row for each demand."""
    found = problems([typed(message) for message in messages[1:]])
    role = 'system'
    for number, message in enumerate(messages):
        if message['role'] == 'system' and number:
            found.append('a system message in the middle')
        if (role, message['role']) in WRONG_TURNS:
            found.append(f'{number}: {message["role"]} behind {role}')
        found += [
            f'{number}: id {c["id"]}'
            for c in message.get('tool_calls') or ()
            if not re.fullmatch(r'[A-Za-z0-9]{9}|functions\.[\w-]+:\d+', c['id'])
        ]
        role = message['role']
    return found
