FROM python:3.12
ENV PASSWORD «dockerfile|Maracas!Inlet»
ENV A=1 \
    SECRET_KEY=«dockerfile|{alnum 40}» \
    B=2
ARG DB_PASS="«dockerfile|velvetTundra»"
RUN echo 'app:«chpasswd|Obsidian5Row»' | chpasswd
RUN pip install --index-url https://user:«url-password|Tadpole7Kayak»@pypi.internal/simple x
RUN --mount=type=secret,id=token cat /run/secrets/token
LABEL maintainer="ops"
