;;; Asks claudevil-lsp through eglot.  -*- lexical-binding: t -*-
(package-initialize)
(require 'eglot)
(require 'cl-lib)
(setq eglot-server-programs '((prog-mode . ("claudevil-lsp")))
      eglot-connect-timeout 60
      eglot-sync-connect 60
      make-backup-files nil
      create-lockfiles nil)

(defun check (is-right what found)
  (unless is-right
    (error "eglot: %s: %S" what found)))

(find-file (expand-file-name "main.py" (getenv "PROJECT")))
(apply #'eglot--connect (eglot--guess-contact))
(eglot--maybe-activate-editing-mode)
(check (eglot-current-server) "the server starts" nil)

(defun at (line text)
  "Move to the beginning of TEXT on LINE, counted from 1."
  (goto-char (point-min))
  (forward-line (1- line))
  (search-forward text)
  (goto-char (match-beginning 0)))

(defun ask (method &rest more)
  (eglot--signal-textDocument/didChange)
  (jsonrpc-request (eglot-current-server) method
                   (append (eglot--TextDocumentPositionParams) more)))

(at 5 "feed")
(let ((found (ask :textDocument/definition)))
  (check (string-match-p "barn\\.py\\'" (or (plist-get (aref found 0) :uri)
                                            (plist-get (aref found 0) :targetUri)))
         "definition" found))
;; A line that is not saved.
(goto-char (point-min))
(insert "# 🦀 One\n")
(at 6 "feed")
(let* ((found (ask :textDocument/references :context '(:includeDeclaration :json-false)))
       (lines (sort (mapcar (lambda (one) (plist-get (plist-get (plist-get one :range) :start) :line))
                            found)
                    #'<)))
  (check (equal lines '(1 5)) "references" found))
(let ((found (ask :textDocument/hover)))
  (check (string-match-p "Feeds the animals" (format "%S" found)) "hover" found))
(message "eglot: all answers are right")
(set-buffer-modified-p nil)
(let ((server (eglot-current-server)))
  (eglot-shutdown server nil 10))
